"""Inputs for what --summary says, as cases.py has them for the checks."""

from dumpfiles import live, module, plain, tuple_shape, used, write


def arguments_and_results(folder, n):
    """Results of the shape of arguments, which are read later and elsewhere."""
    shape, size = "f32[1024]{0}", 4096
    parameters, results, others = ([f"{kind}.{i}" for i in range(n)] for kind in "pro")
    names = parameters + results + others
    lines = [f"%p.{i} = {shape} parameter({i})" for i in range(n)]
    lines += [f"%r.{i} = {shape} iota(), iota_dimension=0" for i in range(n)]
    lines += [f"%o.{i} = {shape} negate(%p.{i})" for i in range(n)]
    uses = [[f"o.{i}, operand 0"] for i in range(n)]
    uses += [[f"t.1, operand {i}"] for i in range(n)] + [[]] * n
    operands = ", ".join(f"%r.{i}" for i in range(n))
    root = f"%t.1 = {tuple_shape(shape, n)} tuple({operands})"
    head, *blocks = plain(names, shape, size).split("allocation ")
    blocks[:n] = [
        block.replace("maybe-live-out", f"parameter {i}, shape |f32[1024]| at ShapeIndex {{}}")
        for i, block in enumerate(blocks[:n])
    ]
    entries = [
        (f"<{i} {name} @0>", [name], uses[i], lines[i]) for i, name in enumerate(names)
    ]
    return write(
        folder,
        assignment="allocation ".join([head, *blocks]),
        values=used(entries, size * len(names)),
        live=live([*names, "t.1"], [(name + "{}", i, 3 * n) for i, name in enumerate(names)]),
        module=module("".join(f"  {line}\n" for line in lines) + f"  ROOT {root}\n"),
    )


SUMMARY_CASES = {"arguments-and-results": (arguments_and_results, 4000)}
