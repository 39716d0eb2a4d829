"""Thunks that grow with n, as the text that --emit=thunks prints, next to a dump and its module."""

import os

from dumpfiles import STEM, module, value_line, write

PARTS = {}


def case(n):
    def add(function):
        PARTS[function.__name__.replace("_", "-")] = (function, n)
        return function

    return add


def one_allocation(names, size=32, first=0, shape="f32[8]{0}"):
    """Allocation 0, of a.1, and 1, with a place for each of the names."""
    text = "BufferAssignment:\nallocation 0: size 32, parameter 0, shape |f32[8]| at ShapeIndex {}:\n"
    text += value_line(0, "a.1") + f"allocation 1: size {first + size * len(names)}, maybe-live-out:\n"
    for i, name in enumerate(names):
        text += value_line(i + 1, name, size, first + size * i, shape)
    return text


def table(number, allocation, name, size, shape):
    """An allocation of its own for the table of a tuple."""
    return f"allocation {allocation}: size {size}, maybe-live-out:\n" + value_line(number, name, size, 0, shape)


def at(allocation, offset, size=32):
    return f"{{index:{allocation}, offset:{offset}, size:{size}}}"


def save(folder, assignment, text, thunks, backend="cpu"):
    write(folder, assignment=assignment, module=text)
    with open(os.path.join(folder, STEM + "-thunks.txt"), "w") as out:
        out.write(f"Thunks: {backend}\n" + "".join(f" {line}\n" for line in thunks))
    return folder


A = "  %a.1 = f32[8]{0} parameter(0)\n"


def wide(folder, n, kind, backend, broken=False, access="read"):
    """One instruction that reads n values and writes n others."""
    names = [f"x.{i}" for i in range(n)]
    shape = "(" + ", ".join(["f32[8]{0}"] * n) + ")"
    entry = A + "".join(f"  %{x} = f32[8]{{0}} negate(%a.1)\n" for x in names)
    entry += f'  ROOT %y.1 = {shape} custom-call({", ".join("%" + x for x in names)}), '
    entry += 'custom_call_target="f"\n'
    places = one_allocation(names) + f"allocation 2: size {32 * n}, maybe-live-out:\n"
    places += "".join(
        f" value: <{n + 1 + i} y.1{{{i}}} @0> (size=32,offset={32 * i}): f32[8]{{0}}\n" for i in range(n)
    )
    places += table(2 * n + 1, 3, "y.1{}", 8 * n, shape)
    lines = [f"kernel {x} kernel={x}: read {at(0, 0)}, write {at(1, 32 * i)}" for i, x in enumerate(names)]
    if backend == "gpu":
        lines = ["custom-" + line for line in lines]
    order = range(n - 1, -1, -1) if broken else range(n)
    slices = [f"{access} {at(1, 32 * i)}" for i in order] + [f"write {at(2, 32 * i)}" for i in order]
    kernel = " kernel=y.1" if "kernel" in kind else ""
    lines.append(f"{kind} y.1{kernel}: " + ", ".join(slices))
    return save(folder, places, module(entry), lines, backend)


@case(4000)
def slices_of_one_kernel(folder, n):
    return wide(folder, n, "kernel", "cpu", access="invariant")


@case(4000)
def slices_of_one_custom_kernel(folder, n):
    return wide(folder, n, "custom-kernel", "gpu")


@case(4000)
def slices_in_any_order(folder, n):
    return wide(folder, n, "all-to-all", "gpu", broken=True)


@case(4000)
def slices_that_are_all_wrong(folder, n):
    return wide(folder, n, "kernel", "cpu", broken=True)


@case(4000)
def one_slice_for_all_arguments(folder, n):
    wide(folder, n, "custom-kernel", "gpu")
    path = os.path.join(folder, STEM + "-thunks.txt")
    with open(path) as text:
        *lines, _ = text.read().splitlines()
    slices = [f"write {at(1, 0)}"] * (2 * n)
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n custom-kernel y.1 kernel=y.1: " + ", ".join(slices) + "\n")
    return folder


def chain_of_kernels(n, line):
    names = [f"x.{i}" for i in range(n)]
    entry = A
    for old, new in zip(["a.1"] + names, names):
        entry += f"  %{new} = f32[8]{{0}} negate(%{old})\n"
    return names, entry, [line(i, x) for i, x in enumerate(names)]


def in_chain(i):
    source = at(1, 32 * (i - 1)) if i else at(0, 0)
    return f"read {source}, write {at(1, 32 * i)}"


@case(8000)
def kernels_in_one_allocation(folder, n):
    names, entry, lines = chain_of_kernels(n, lambda i, x: f"kernel {x} kernel={x}: {in_chain(i)}")
    return save(folder, one_allocation(names), module(entry), lines)


@case(8000)
def kernels_that_write_elsewhere(folder, n):
    line = lambda i, x: f"kernel {x} kernel={x}: read {at(0, 0)}, write {at(1, 32 * (i // 2))}"
    names, entry, lines = chain_of_kernels(n, line)
    return save(folder, one_allocation(names), module(entry), lines)


@case(8000)
def kernels_of_one_name(folder, n):
    names, entry, lines = chain_of_kernels(n, lambda i, x: f"kernel {x} kernel=x.0: {in_chain(i)}")
    return save(folder, one_allocation(names), module(entry), lines)


@case(4000)
def fusions_of_one_kernel(folder, n):
    """Each calls a computation of its own, which calls a reducer of its own."""
    body, entry, lines, names = "", "", [], [f"x.{i}" for i in range(n)]
    for i, x in enumerate(names):
        body += f"%r{i} (l: f32[], r: f32[]) -> f32[] {{\n  %l.{i} = f32[] parameter(0)\n"
        body += f"  %r.{i} = f32[] parameter(1)\n  ROOT %s.{i} = f32[] add(%l.{i}, %r.{i})\n}}\n\n"
        body += f"%f{i} (p: f32[8]) -> f32[] {{\n  %p.{i} = f32[8]{{0}} parameter(0)\n"
        body += f"  %z.{i} = f32[] constant(0)\n"
        body += f"  ROOT %d.{i} = f32[] reduce(%p.{i}, %z.{i}), dimensions={{0}}, to_apply=%r{i}\n}}\n\n"
        entry += f"  %{x} = f32[] fusion(%a.1), kind=kLoop, calls=%f{i}\n"
        lines.append(f"kernel {x} kernel=x.0: read {at(0, 0)}, write {at(1, 4 * i, 4)}")
    places = one_allocation(names, 4, 0, "f32[]")
    for i in range(3 * n):
        name = f"{'lrs'[i % 3]}.{i // 3}"
        places += f"allocation {i + 2}: size 4, thread-local:\n" + value_line(n + 1 + i, name, 4, 0, "f32[]")
    return save(folder, places, module(A + entry, body), lines)


@case(4000)
def outputs(folder, n):
    names = [f"x.{i}" for i in range(n)]
    shape = "(" + ", ".join(["f32[8]{0}"] * n) + ")"
    entry = A + "".join(f"  %{x} = f32[8]{{0}} negate(%a.1)\n" for x in names)
    entry += f"  ROOT %t.1 = {shape} tuple({', '.join('%' + x for x in names)})\n"
    places = one_allocation(names) + table(n + 1, 2, "t.1{}", 8 * n, shape)
    lines = [f"kernel {x} kernel={x}: read {at(0, 0)}, write {at(1, 32 * i)}" for i, x in enumerate(names)]
    return save(folder, places, module(entry), lines)


@case(4000)
def call_kernel(folder, n):
    """A call that is one kernel, of n instructions."""
    body = "%b (p.1: f32[8]) -> f32[8] {\n  %p.1 = f32[8]{0} parameter(0)\n"
    names = [f"x.{i}" for i in range(n)]
    for old, new in zip(["p.1"] + names, names):
        body += f"  %{new} = f32[8]{{0}} negate(%{old})\n"
    body += "}\n\n"
    places = [at(1, 32 * i) for i in range(n)]
    slices = [f"read {place}" for place in [at(0, 0)] + places[:-1]] + [f"write {place}" for place in places]
    entry = A + "  ROOT %c.1 = f32[8]{0} call(%a.1), to_apply=%b\n"
    line = "kernel c.1 kernel=c.1: " + ", ".join(slices)
    return save(folder, one_allocation(names), module(entry, body), [line])


def asyncs(folder, n, stream, done, inside=1):
    """n thunks on streams, each of which reads a.1 and writes a place of its own."""
    body, entry, lines = "", A, []
    names = [f"y.{i}" for i in range(n)]
    for i in range(n):
        body += f"%w{i} (p: f32[8]) -> f32[8] {{\n  %p.{i} = f32[8]{{0}} parameter(0)\n"
        body += f"  ROOT %y.{i} = f32[8]{{0}} negate(%p.{i})\n}}\n\n"
        entry += f"  %s.{i} = ((f32[8]{{0}}), f32[8]{{0}}) async-start(%a.1), calls=%w{i}\n"
        lines.append(f"async-start s.{i} execution={i} computation-stream={stream(i)}")
        lines.append("  thunks")
        write_ = at(1, 32 * (i % inside))
        lines.append(f"    custom-kernel y.{i} kernel=y_{i}: read {at(0, 0)}, write {write_}")
        if done:
            lines.append(f"async-done d.{i} execution={i}")
            entry += f"  %d.{i} = f32[8]{{0}} async-done(%s.{i})\n"
    if not done:
        entry += "".join(f"  %d.{i} = f32[8]{{0}} async-done(%s.{i})\n" for i in range(n))
        lines += [f"async-done d.{i} execution={i}" for i in range(n)]
    text = one_allocation(names)
    for i in range(n):
        text += table(n + 1 + 2 * i, 2 + 2 * i, f"s.{i}{{}}", 16, "((f32[8]{0}), f32[8]{0})")
        text += table(n + 2 + 2 * i, 3 + 2 * i, f"s.{i}{{0}}", 8, "(f32[8]{0})")
    return save(folder, text, module(entry, body), lines, "gpu")


@case(3000)
def streams_in_use(folder, n):
    return asyncs(folder, n, lambda i: i, False, n)


@case(3000)
def streams_that_race(folder, n):
    return asyncs(folder, n, lambda i: i, False)


@case(3000)
def one_stream(folder, n):
    return asyncs(folder, n, lambda i: 0, True, n)


@case(3000)
def loops_inside_of_each_other(folder, n):
    """A few, which are unrolled twice each, around n thunks."""
    names, entry, lines = chain_of_kernels(n, lambda i, x: f"custom-kernel {x} kernel={x}")
    text = []
    for depth in range(24):
        text += ["  " * 2 * depth + f"while x.{depth}", "  " * (2 * depth + 1) + "body"]
    around = "  " * 48
    text += [around + "async-start x.30 execution=1 computation-stream=1", around + "  thunks"]
    text += [around + "    " + line for line in lines]
    return save(folder, one_allocation(names), module(entry), text, "gpu")


@case(4000)
def sorts_with_copies(folder, n):
    """A sort of n operands, each of which is copied to its result first."""
    names, ends = [f"x.{i}" for i in range(n)], [f"%g.{i}" for i in range(2 * n)]
    shape = "(" + ", ".join(["f32[8]{0}"] * n) + ")"
    body = "%c (p: f32[]) -> pred[] {\n"
    body += "".join(f"  {g} = f32[] parameter({i})\n" for i, g in enumerate(ends))
    body += f"  ROOT %less = pred[] compare({ends[0]}, {ends[1]}), direction=LT\n}}\n\n"
    entry = A + "".join(f"  %{x} = f32[8]{{0}} negate(%a.1)\n" for x in names)
    entry += f"  ROOT %s.1 = {shape} sort({', '.join('%' + x for x in names)}), dimensions={{0}}, to_apply=%c\n"
    places = one_allocation(names) + f"allocation 2: size {32 * n}, maybe-live-out:\n"
    lines = [f"kernel {x} kernel={x}: read {at(0, 0)}, write {at(1, 32 * i)}" for i, x in enumerate(names)]
    for i in range(n):
        places += f" value: <{n + 1 + i} s.1{{{i}}} @0> (size=32,offset={32 * i}): f32[8]{{0}}\n"
        lines.append(f"copy s.1: read {at(1, 32 * i)}, write {at(2, 32 * i)}")
    number = 2 * n + 2
    places += table(number - 1, 2 * n + 4, "s.1{}", 8 * n, shape)
    for i, name in enumerate([g[1:] for g in ends] + ["less"]):
        places += f"allocation {i + 3}: size 4, thread-local:\n"
        places += value_line(number + i, name, 4, 0, "f32[]" if name != "less" else "pred[]")
    lines.append("sort s.1 comparator=c: " + ", ".join(f"update {at(2, 32 * i)}" for i in range(n)))
    return save(folder, places, module(entry, body), lines)


@case(8000)
def collectives(folder, n):
    """Half of them share a communicator with the others, each by itself."""
    names, entry, lines = chain_of_kernels(n, lambda i, x: f"collective {x}: {in_chain(i)}")
    lines += [f"shared communicator: {i}" for i in range(n // 2)]
    lines.append("shared communicator: " + " ".join(map(str, range(n // 2, n))))
    return save(folder, one_allocation(names), module(entry), lines)


THUNK_CASES = {"thunks-" + name: row for name, row in PARTS.items()}
