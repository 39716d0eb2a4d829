"""Inputs that grow with n, each aimed at one part of the tool.

A case is a function of (folder, n) that writes a dump there and gives the
arguments of hlobuf-verify. The number next to it is n of the smaller run.
"""

import os

from dumpfiles import (
    STEM,
    TAILS,
    allocations,
    live,
    module,
    plain,
    tuple_shape,
    used,
    value_line,
    write,
)

CASES = {}
A = "  %a.1 = f32[8]{0} parameter(0)\n"


def case(n):
    def add(function):
        CASES[function.__name__.replace("_", "-")] = (function, n)
        return function

    return add


def chain(n, line, first="a.1"):
    """n instructions, each of which reads the one before."""
    names = [first] + [f"x.{i}" for i in range(n)]
    return names, A + "".join(
        "  " + line.format(new=new, old=old) + "\n"
        for old, new in zip(names, names[1:])
    )


# Damaged texts.


@case(20000)
def open_string_in_module(folder, n):
    names, entry = chain(n, '%{new} = f32[8]{{0}} copy(%{old}), metadata={{op_name="f"}}')
    entry = entry.replace('op_name="f"', 'op_name="f', 1)
    return write(folder, assignment=plain(names[:9]), module=module(entry))


@case(20000)
def open_bracket_in_module(folder, n):
    names, entry = chain(n, "%{new} = f32[8]{{0}} copy(%{old})")
    entry = entry.replace("copy(%a.1)", "copy((%a.1)", 1)
    return write(folder, assignment=plain(names[:9]), module=module(entry))


@case(20000)
def open_bracket_in_last_text(folder, n):
    names, _ = chain(n, "%{new} = f32[8]{{0}} copy(%{old})")
    text = used([("<0 a.1 @0>", ["a.1"], [], "%a.1 = f32[8]{0} parameter((0)")])
    first, rest = plain(["a.1"]), live(names)
    return write(folder, assignment=first + text + "\n\n" + rest)


@case(20000)
def open_string_in_texts(folder, n):
    entries = [
        (f"<{i} x.{i} @0>", [f"x.{i}"], [], f'%x.{i} = f32[8]{{0}} iota(), a="')
        for i in range(n)
    ]
    return write(folder, assignment=plain([f"x.{i}" for i in range(n)]), values=used(entries))


@case(20000)
def texts_that_end_in_tags(folder, n):
    text = "%a.1 = f32[8]{0} iota(), a={\n" + "b >\n" * n
    return write(folder, assignment=plain(["a.1"]), values=used([("<0 a.1 @0>", ["a.1"], [], text)]))


@case(400000)
def empty_lines(folder, n):
    return write(folder, assignment="BufferAssignment:\n" + "\n" * n)


@case(40000)
def unreadable_lines(folder, n):
    return write(folder, assignment=plain(["a.1"]) + "what is this?\n" * n)


@case(40000)
def unreadable_module_lines(folder, n):
    entry = A + "  %b.1 = f32[8{0} what is this?\n" * n
    return write(folder, assignment=plain(["a.1"]), module=module(entry))


@case(20000)
def unknown_operands(folder, n):
    entry = A + "  %b.1 = f32[8]{0} add(" + ", ".join(f"%q{i}" for i in range(n)) + ")\n"
    return write(folder, assignment=plain(["a.1"]), module=module(entry))


@case(40000)
def equal_names(folder, n):
    return write(
        folder,
        assignment=plain(["a.1"] * n),
        module=module(A + "  %b.1 = f32[8]{0} copy(%a.1)\n" * n),
        live=live(["a.1"] * n),
    )


@case(2000)
def stack_tree_without_nodes(folder, n):
    text = live(["a.1"], peak=[("a.1{}", 32)])
    text += "  Stack trace breakdown for peak usage: 32 bytes\n" + "    x\n" * n
    return write(folder, assignment=plain(["a.1"]), live=text)


@case(40000)
def comment_lines(folder, n):
    text = plain(["a.1"]) + "// CHECK: nothing, expected-error or allow\n" * n
    return write(folder, assignment=text)


@case(100000)
def open_frames(folder, n):
    path = os.path.join(folder, "frames.txt")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w") as out:
        out.writelines(f"*** Begin x{i} ***\n" for i in range(n))
    return path


# Width.


def wide_loop(n, next_element):
    """A loop whose state has n elements; the body forwards next_element(i)."""
    state = tuple_shape("f32[8]{0}", n)
    body = f"%b (p: x) -> x {{\n  %p.1 = {state} parameter(0)\n"
    body += "".join(
        f"  %g.{i} = f32[8]{{0}} get-tuple-element(%p.1), index={i}\n" for i in range(n)
    )
    body += f"  ROOT %t.1 = {state} tuple("
    body += ", ".join(f"%g.{next_element(i)}" for i in range(n)) + ")\n}\n\n"
    condition = f"%c (q: x) -> x {{\n  %q.1 = {state} parameter(0)\n"
    condition += "  ROOT %k.1 = pred[] constant(false)\n}\n\n"
    entry = A + f"  %s.1 = {state} tuple(" + ", ".join(["%a.1"] * n) + ")\n"
    entry += f"  ROOT %w.1 = {state} while(%s.1), condition=%c, body=%b\n"
    return module(entry, body + condition)


@case(2500)
def wide_loop_state(folder, n):
    return write(folder, assignment=plain(["a.1"]), module=wide_loop(n, lambda i: i))


@case(2500)
def ring_of_phis(folder, n):
    return write(
        folder, assignment=plain(["a.1"]), module=wide_loop(n, lambda i: (i + 1) % n)
    )


@case(5000)
def ring_of_phis_of_two(folder, n):
    text = wide_loop(n, lambda i: (i + 1) % n)
    before, after = text.rsplit("%a.1)", 1)
    text = before + "%z.1)" + after
    text = text.replace("  %s.1 = ", "  %z.1 = f32[8]{0} copy(%a.1)\n  %s.1 = ", 1)
    return write(folder, assignment=plain(["a.1", "z.1"]), module=text)


@case(4000)
def scatter_fusion(folder, n):
    state = tuple_shape("f32[8]{0}", n)
    body = "%u (l: f32[], r: f32[]) -> x {\n  %l.1 = f32[] parameter(0)\n"
    body += "  ROOT %m.1 = f32[] copy(%l.1)\n}\n\n%f (p: x) -> x {\n"
    names = [f"p.{i}" for i in range(2 * n + 1)]
    body += "".join(f"  %{p} = f32[8]{{0}} parameter({i})\n" for i, p in enumerate(names))
    operands = ", ".join("%" + p for p in names)
    body += f"  ROOT %s.1 = {state} scatter({operands}), to_apply=%u\n}}\n\n"
    entry = A + f"  ROOT %fusion.1 = {state} fusion("
    entry += ", ".join(["%a.1"] * (2 * n + 1)) + "), kind=kLoop, calls=%f\n"
    return write(folder, assignment=plain(["a.1"]), module=module(entry, body))


@case(30000)
def aliases(folder, n):
    state = tuple_shape("f32[8]{0}", n)
    text = ", ".join(f"{{{i}}}: ({i}, {{}}, may-alias)" for i in range(n))
    names = [f"a.{i}" for i in range(n)]
    entry = "".join(f"  %{a} = f32[8]{{0}} parameter({i})\n" for i, a in enumerate(names))
    entry += f"  ROOT %t.1 = {state} tuple({', '.join('%' + a for a in names)})\n"
    return write(
        folder,
        assignment=plain(names),
        module=module(entry, alias=f", input_output_alias={{ {text} }}"),
    )


@case(5000)
def equal_branches(folder, n):
    entry = A + "  %i.1 = s32[] constant(0)\n  ROOT %k.1 = f32[8]{0} conditional(%i.1, "
    entry += ", ".join(["%a.1"] * n) + "), branch_computations={"
    entry += ", ".join(["%b"] * n) + "}\n"
    body = "%b (p: x) -> x {\n  ROOT %p.1 = f32[8]{0} parameter(0)\n}\n\n"
    return write(folder, assignment=plain(["a.1"]), module=module(entry, body))


@case(8000)
def branches(folder, n):
    body = "".join(
        f"%b{i} (p: x) -> x {{\n  ROOT %p.{i} = f32[8]{{0}} parameter(0)\n}}\n\n"
        for i in range(n)
    )
    entry = A + "  %i.1 = s32[] constant(0)\n  ROOT %k.1 = f32[8]{0} conditional(%i.1, "
    entry += ", ".join(["%a.1"] * n) + "), branch_computations={"
    entry += ", ".join(f"%b{i}" for i in range(n)) + "}\n"
    return write(folder, assignment=plain(["a.1"]), module=module(entry, body))


@case(10000)
def wide_branches(folder, n):
    state = tuple_shape("f32[8]{0}", n)
    body = "".join(
        f"%b{i} (p: x) -> x {{\n  ROOT %p.{i} = {state} parameter(0)\n}}\n\n"
        for i in range(2)
    )
    entry = A + "  %i.1 = s32[] constant(0)\n"
    entry += f"  %t.1 = {state} tuple(" + ", ".join(["%a.1"] * n) + ")\n"
    entry += f"  ROOT %k.1 = {state} conditional(%i.1, %t.1, %t.1), "
    entry += "branch_computations={%b0, %b1}\n"
    return write(folder, assignment=plain(["a.1"]), module=module(entry, body))


@case(20000)
def one_value_many_users(folder, n):
    names, entry = chain(n, "%{new} = f32[8]{{0}} negate(%a.1)")
    uses = [f"{name}, operand 0" for name in names[1:]]
    entries = [("<0 a.1 @0>", ["a.1"], uses, "%a.1 = f32[8]{0} parameter(0)")]
    return write(
        folder,
        assignment=plain(names),
        module=module(entry),
        values=used(entries),
        live=live(names),
    )


@case(20000)
def one_value_many_positions(folder, n):
    names, entry = chain(n, "%{new} = f32[8]{{0}} bitcast(%{old})")
    uses = [f"{name}, operand 0" for name in names[1:]]
    entries = [("<0 a.1 @0>", names, uses, "%a.1 = f32[8]{0} parameter(0)")]
    return write(
        folder,
        assignment=plain(["a.1"]),
        module=module(entry),
        values=used(entries),
        live=live(names, [("a.1{}", 0, n)]),
    )


@case(10000)
def left_out_elements(folder, n):
    """Elements whose get-tuple-elements are named by the dump only."""
    state = tuple_shape("f32[8]{0}", n)
    entry = A + f"  %t.1 = {state} custom-call(%a.1), custom_call_target=\"f\"\n"
    entry += "".join(f"  %n.{i} = f32[8]{{0}} negate(%t.1#{i})\n" for i in range(n))
    hidden = [f"g.{i}" for i in range(n)]
    uses = [f"{name}, operand 0" for name in hidden]
    entries = [("<0 t.1{} @0>", ["t.1 {}"], uses, f"%t.1 = {state} custom-call(%a.1)")]
    names = ["a.1", "t.1"] + hidden + [f"n.{i}" for i in range(n)]
    return write(
        folder,
        assignment=plain(["a.1"]) ,
        module=module(entry),
        values=used(entries),
        live=live(names),
    )


@case(40000)
def giant_line(folder, n):
    shape = tuple_shape("f32[8]{0}", n)
    return write(
        folder,
        assignment=allocations([("a.1", 8 * n, shape)]),
        module=module(f"  ROOT %a.1 = {shape} parameter(0)\n"),
    )


# Depth.


@case(2000)
def nested_tuples(folder, n):
    shape = "(" * n + "f32[8]{0}" + ")" * n
    return write(
        folder,
        assignment=allocations([("a.1", 8, shape)]),
        module=module(f"  ROOT %a.1 = {shape} parameter(0)\n"),
    )


@case(10000)
def call_chain(folder, n):
    body = "%c0 (p: x) -> x {\n  ROOT %p.0 = f32[8]{0} parameter(0)\n}\n\n"
    for i in range(1, n):
        body += f"%c{i} (p: x) -> x {{\n  %p.{i} = f32[8]{{0}} parameter(0)\n"
        body += f"  ROOT %r.{i} = f32[8]{{0}} call(%p.{i}), to_apply=%c{i - 1}\n}}\n\n"
    entry = A + f"  ROOT %r.{n} = f32[8]{{0}} call(%a.1), to_apply=%c{n - 1}\n"
    return write(folder, assignment=plain(["a.1"]), module=module(entry, body))


@case(8000)
def async_updates(folder, n):
    shape = "((f32[8]{0}), f32[8]{0}, s32[])"
    body = "%w (p: x) -> x {\n  %p.1 = f32[8]{0} parameter(0)\n"
    body += "  ROOT %y.1 = f32[8]{0} negate(%p.1)\n}\n\n"
    entry = A + f"  %x.0 = {shape} async-start(%a.1), calls=%w\n"
    entry += "".join(
        f"  %x.{i} = {shape} async-update(%x.{i - 1})\n" for i in range(1, n)
    )
    entry += f"  ROOT %d.1 = f32[8]{{0}} async-done(%x.{n - 1})\n"
    names = ["a.1"] + [f"x.{i}" for i in range(n)] + ["d.1"]
    return write(
        folder, assignment=plain(["a.1", "y.1"]), module=module(entry, body), live=live(names)
    )


@case(8000)
def async_updates_that_print_calls(folder, n):
    async_updates(folder, n)
    path = os.path.join(folder, STEM + TAILS["module"])
    with open(path) as text:
        whole = text.read()
    lines = [
        line + ", calls=%w" if "async-update" in line or "async-done" in line else line
        for line in whole.split("\n")
    ]
    return write(folder, module="\n".join(lines))


@case(8000)
def tuples_and_elements(folder, n):
    entry, old = A, "a.1"
    for i in range(n):
        entry += f"  %t.{i} = (f32[8]{{0}}) tuple(%{old})\n"
        entry += f"  %g.{i} = f32[8]{{0}} get-tuple-element(%t.{i}), index=0\n"
        old = f"g.{i}"
    return write(folder, assignment=plain(["a.1"]), module=module(entry))


@case(8000)
def in_place_chain(folder, n):
    line = "%{new} = f32[8]{{0}} dynamic-update-slice(%{old}, %{old}, %i.1)"
    names, entry = chain(n, line)
    entry = entry.replace(A, A + "  %i.1 = s32[] constant(0)\n")
    text = "BufferAssignment:\nallocation 0: size 32, page 0, maybe-live-out:\n"
    text += "".join(value_line(i, name) for i, name in enumerate(names))
    return write(folder, assignment=text, module=module(entry), live=live(names))


@case(2000)
def loops_in_a_row(folder, n):
    state, body, entry, old = "(f32[8]{0}, s32[])", "", A, "s.1"
    entry += f"  %i.1 = s32[] constant(0)\n  %s.1 = {state} tuple(%a.1, %i.1)\n"
    for i in range(n):
        body += f"%b{i} (p: x) -> x {{\n  ROOT %p.{i} = {state} parameter(0)\n}}\n\n"
        body += f"%c{i} (q: x) -> x {{\n  %q.{i} = {state} parameter(0)\n"
        body += f"  ROOT %k.{i} = pred[] constant(false)\n}}\n\n"
        entry += f"  %w.{i} = {state} while(%{old}), condition=%c{i}, body=%b{i}\n"
        old = f"w.{i}"
    return write(folder, assignment=plain(["a.1"]), module=module(entry, body))


# Many of one kind.


@case(20000)
def tiny_allocations(folder, n):
    names, entry = chain(n, "%{new} = f32[]{{}} negate(%{old})")
    return write(
        folder,
        assignment=plain(names, "f32[]", 4),
        module=module(entry),
        live=live(names, peak=[(name + "{}", 4) for name in names]),
    )


@case(12500)
def finding_about_all_values(folder, n):
    """The peak is said to be at step 1, where everything is live."""
    names = [f"x.{i}" for i in range(n)]
    entries = [
        (f"<{i} {name} @0>", [name], [], f"%{name} = f32[8]{{0}} parameter({i})")
        for i, name in enumerate(names)
    ]
    ranges = live(names, [(name + "{}", 0, n - 1) for name in names])
    return write(
        folder,
        assignment=plain(names),
        values=used(entries, 32 * n),
        live=ranges.replace(f"Live ranges at {n - 1} ", "Live ranges at 1 "),
    )


@case(10000)
def values_at_one_step(folder, n):
    names = [f"x.{i}" for i in range(n)]
    text = f"BufferAssignment:\nallocation 0: size {32 * n}, page 0, preallocated-temp:\n"
    text += "".join(value_line(i, name, 32, 32 * i) for i, name in enumerate(names))
    ranges = [(name + "{}", 0, n) for name in names]
    return write(folder, assignment=text, live=live(names, ranges))


@case(3000)
def values_at_one_place(folder, n):
    names = [f"x.{i}" for i in range(n)]
    text = "BufferAssignment:\nallocation 0: size 32, page 0, preallocated-temp:\n"
    text += "".join(value_line(i, name) for i, name in enumerate(names))
    ranges = [(name + "{}", 0, n) for name in names]
    return write(folder, assignment=text, live=live(names, ranges))


@case(10000)
def staggered_ranges(folder, n):
    names = [f"x.{i}" for i in range(n)]
    text = f"BufferAssignment:\nallocation 0: size {n + 64}, page 0, preallocated-temp:\n"
    text += "".join(value_line(i, name, 64, i) for i, name in enumerate(names))
    ranges = [(name + "{}", i, min(n, i + n // 2)) for i, name in enumerate(names)]
    return write(folder, assignment=text, live=live(names, ranges))


@case(20000)
def colors(folder, n):
    text = "BufferAssignment:\n" + "".join(
        f"allocation {i}: size 32, color {i}, page 0, maybe-live-out:\n"
        f" value: <{i} x.{i} @{i}> (size=32,offset=0): f32[8]{{0}}\n"
        for i in range(n)
    )
    return write(folder, assignment=text)


@case(10000)
def stack_frames(folder, n):
    entry = A + "".join(
        f"  %x.{i} = f32[8]{{0}} negate(%a.1), metadata={{stack_frame_id={i + 1}}}\n"
        for i in range(n)
    )
    tables = "\nFileNames\n" + "".join(f'{i + 1} "f{i}.py"\n' for i in range(n))
    tables += "\nFileLocations\n" + "".join(
        f"{i + 1} {{file_name_id={i + 1} line={i}}}\n" for i in range(n)
    )
    tables += "\nStackFrames\n" + "".join(
        f"{i + 1} {{file_location_id={i + 1} parent_frame_id={i}}}\n" for i in range(n)
    )
    text = module(entry).replace("\n\nENTRY", "\n" + tables + "\n\nENTRY", 1)
    names = [f"x.{i}" for i in range(n)]
    return write(
        folder,
        assignment=plain(names),
        module=text,
        live=live(names, peak=[(name + "{}", 32) for name in names]),
    )


@case(300)
def dumps_in_a_folder(folder, n):
    for i in range(n):
        path = os.path.join(folder, f"{i}-buffer-assignment.txt")
        os.makedirs(folder, exist_ok=True)
        with open(path, "w") as out:
            out.write(plain([f"a.{i}", f"b.{i}"]))
    return folder


@case(1600)
def slices_moved_in_place(folder, n):
    """A fusion that overwrites its operand with slices of it, the last one first."""
    shape, bytes_of_all = f"f32[{2 * n}]{{0}}", 8 * n
    body = f"%f (p: x) -> x {{\n  %p.1 = {shape} parameter(0)\n"
    body += "".join(
        f"  %s.{i} = f32[2]{{0}} slice(%p.1), slice={{[{end - 2}:{end}]}}\n"
        for i, end in enumerate(range(2 * n, 0, -2))
    )
    slices = ", ".join(f"%s.{i}" for i in range(n))
    body += f"  ROOT %c.1 = {shape} concatenate({slices}), dimensions={{0}}\n}}\n\n"
    entry = f"  %a.1 = {shape} parameter(0)\n  %old.1 = {shape} negate(%a.1)\n"
    entry += f"  ROOT %new.1 = {shape} fusion(%old.1), kind=kLoop, calls=%f\n"
    text = allocations([("a.1", bytes_of_all, shape), ("old.1", bytes_of_all, shape)])
    text += value_line(2, "new.1", bytes_of_all, 0, shape)
    return write(folder, assignment=text, module=module(entry, body))
