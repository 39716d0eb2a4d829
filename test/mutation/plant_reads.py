"""Faults in what an instruction reads of an operand that it overwrites.

Each kind is a function that yields candidates, as in plant_module.py. Bodies of fusions
are in no dump, so that edits of them contradict nothing.
"""

import functools
import re

from facts import Edit
from hlo import is_array
from plant_module import MODULE, buffered
from plant_places import printed

ARRAY = re.compile(r"^(\w+)\[([\d,]*)\](\{.*\})?$")
ELEMENTWISE = set(
    """abs add and atan2 cbrt ceil compare convert cosine divide erf exponential
    exponential-minus-one floor is-finite log log-plus-one logistic maximum minimum multiply
    negate not or popcnt power remainder round-nearest-afz round-nearest-even rsqrt select
    shift-left shift-right-arithmetic shift-right-logical sign sine sqrt subtract tan tanh
    xor""".split()
)
# What a body may hold so that an elementwise read of all elements matters.
PLAIN = ELEMENTWISE | {"parameter", "constant", "broadcast", "tuple", "iota"}
WHOLE = set(
    """all-gather all-to-all cholesky collective-permute concatenate convolution dot fft
    gather reduce-window reverse transpose""".split()
)


def dims_of(shape):
    match = ARRAY.match(shape or "")
    return [int(d) for d in match[2].split(",") if d] if match else None


def place_of(v):
    return v.allocation, v.offset, v.size


def order_of(shape):
    """Everything that decides about addresses but the dimensions."""
    return re.sub(r"S\(\d+\)|:(?=\})", "", ARRAY.match(shape)[3] or "")


def in_place(facts):
    """(fusion, body, operand, its parameter) where a result has the operand's place."""
    for x in buffered(facts):
        if x.opcode != "fusion":
            continue
        body = next((c for role, c in facts.module.callees(x) if role == "calls"), None)
        places = {
            place_of(v)
            for v in facts.defined[x.name]
            if is_array(v.shape) and v.size
        }
        for number, operand in enumerate(x.operands):
            v = facts.at.get((operand.name, operand.path))
            if v and v.name != x.name and place_of(v) in places and body:
                parameter = body.parameters().get(number)
                if parameter and is_array(parameter.shape):
                    yield x, body, number, parameter


def is_looped(x):
    """Whether its emitter goes through elements, not through tiles."""
    return ", kind=kLoop" in x.line or ", kind=kInput" in x.line


def insert(facts, reader, operand, lines, name, what):
    """The operand of reader becomes what the new lines compute."""
    new = reader.line[: operand.begin] + "%" + name + reader.line[operand.end :]
    text = facts.module.with_lines({reader.number: "\n".join([*lines, new])})
    return Edit(what, {MODULE: text})


def plain_reads(facts):
    """(fusion, reader, operand, shape) of bodies that are elementwise throughout."""
    for x, body, _, parameter in in_place(facts):
        if not is_looped(x) or {y.opcode for y in body.instructions} - PLAIN:
            continue
        # A result that hands the operand on stays right.
        roots = {o.name for o in body.root.operands} | {body.root.name}
        if parameter.name in roots and body.root.opcode == "tuple":
            continue
        for reader in body.instructions:
            for operand in reader.operands:
                if operand.name == parameter.name and reader.opcode in ELEMENTWISE:
                    yield x, reader, operand, parameter.shape


def read_reversed(facts):
    for x, reader, operand, shape in plain_reads(facts):
        large = [k for k, d in enumerate(dims_of(shape) or []) if d > 1]
        if large:
            yield functools.partial(
                plant_reverse, facts, x, reader, operand, shape, large
            )


def plant_reverse(facts, x, reader, operand, shape, large, rng):
    dim = rng.choice(large)
    line = f"  %planted.1 = {shape} reverse(%{operand.name}), dimensions={{{dim}}}"
    what = f"{x.name}: {reader.name} reads {operand.name} reversed in dimension {dim}"
    return insert(facts, reader, operand, [line], "planted.1", what)


def read_transposed(facts):
    for x, reader, operand, shape in plain_reads(facts):
        dims = dims_of(shape) or []
        pairs = [
            (a, b)
            for a in range(len(dims))
            for b in range(a)
            if dims[a] == dims[b] > 1
        ]
        if pairs:
            yield functools.partial(
                plant_transpose, facts, x, reader, operand, shape, pairs
            )


def plant_transpose(facts, x, reader, operand, shape, pairs, rng):
    a, b = rng.choice(pairs)
    order = list(range(len(dims_of(shape))))
    order[a], order[b] = order[b], order[a]
    text = ",".join(map(str, order))
    line = f"  %planted.1 = {shape} transpose(%{operand.name}), dimensions={{{text}}}"
    what = f"{x.name}: {reader.name} reads {operand.name} transposed, {text}"
    return insert(facts, reader, operand, [line], "planted.1", what)


def read_shifted(facts):
    for x, reader, operand, shape in plain_reads(facts):
        large = [k for k, d in enumerate(dims_of(shape) or []) if d > 1]
        if large and shape.startswith(("f32", "s32", "u32", "bf16")):
            yield functools.partial(
                plant_shift, facts, x, reader, operand, shape, large
            )


def plant_shift(facts, x, reader, operand, shape, large, rng):
    """All elements but the first or the last in one dimension, padded at the other end."""
    dims, dim, down = dims_of(shape), rng.choice(large), rng.random() < 0.5
    kind, layout = ARRAY.match(shape)[1], ARRAY.match(shape)[3] or ""
    less = [d - (k == dim) for k, d in enumerate(dims)]
    spans = [
        f"[{int(k == dim and not down)}:{d - int(k == dim and down)}]"
        for k, d in enumerate(dims)
    ]
    pads = [("1_0" if down else "0_1") if k == dim else "0_0" for k in range(len(dims))]
    inner = f"{kind}[{','.join(map(str, less))}]{layout}"
    lines = [
        f"  %planted.1 = {inner} slice(%{operand.name}), slice={{{', '.join(spans)}}}",
        f"  %planted.2 = {kind}[] constant(0)",
        f"  %planted.3 = {shape} pad(%planted.1, %planted.2), padding={'x'.join(pads)}",
    ]
    what = f"{x.name}: {reader.name} reads {operand.name} shifted in dimension {dim}"
    return insert(facts, reader, operand, lines, "planted.3", what)


def updates(facts):
    """(fusion, update, its operands' shapes) where an in-place fusion ends in an update of
    its operand, through nothing but bitcasts of the result."""
    for x, body, _, parameter in in_place(facts):
        root = body.root
        while root.opcode == "bitcast" and root.operands:
            root = facts.module.by_name[root.operands[0].name]
        if root.opcode != "dynamic-update-slice" or len(root.operands) < 3:
            continue
        if root.operands[0].name != parameter.name:
            continue
        update = facts.module.by_name.get(root.operands[1].name)
        if update and not root.operands[1].path:
            yield x, root, update, parameter.shape


def window_reversed(facts):
    for x, root, update, shape in updates(facts):
        dims = dims_of(update.shape) or []
        large = [k for k, d in enumerate(dims) if d > 1]
        if large and len(root.operands) == len(dims) + 2:
            yield functools.partial(
                plant_window, facts, x, root, update.shape, large, None
            )


def plant_window(facts, x, root, shape, large, starts, rng):
    """The update becomes the window that it replaces, in the other direction."""
    dim = rng.choice(large)
    starts = starts or [root.line[o.begin : o.end] for o in root.operands[2:]]
    sizes = ",".join(map(str, dims_of(shape)))
    target = root.operands[0].name
    lines = [
        f"  %planted.1 = {shape} dynamic-slice(%{target}, {', '.join(starts)}), "
        f"dynamic_slice_sizes={{{sizes}}}",
        f"  %planted.2 = {shape} reverse(%planted.1), dimensions={{{dim}}}",
    ]
    what = f"{x.name}: {root.name} writes its window reversed in dimension {dim}"
    return insert(facts, root, root.operands[1], lines, "planted.2", what)


def window_moved(facts):
    for x, root, update, shape in updates(facts):
        dims, whole = dims_of(update.shape), dims_of(shape)
        if not dims or not whole or len(dims) != len(whole):
            continue
        large = [k for k, d in enumerate(dims) if 1 < d < whole[k]]
        plain = not any(o.path for o in root.operands)
        if large and plain and len(root.operands) == len(dims) + 2:
            yield functools.partial(
                plant_move, facts, x, root, update.shape, whole, large
            )


def plant_move(facts, x, root, shape, whole, large, rng):
    """The update becomes a window one further, which the other one overlaps."""
    dim, dims = rng.choice(large), dims_of(shape)
    start = facts.module.by_name[root.operands[2 + dim].name]
    number = None
    if start.opcode == "constant":
        number = int(start.line[start.begin : start.end])
        number = max(0, min(number, whole[dim] - dims[dim]))
    starts = [f"%{o.name}" for o in root.operands[2:]]
    sizes = ",".join(map(str, dims))
    if number is None:
        lines = [
            f"  %planted.2 = {start.shape} constant(1)",
            f"  %planted.0 = {start.shape} add({starts[dim]}, %planted.2)",
        ]
    else:
        other = number + (1 if number == 0 else -1)
        lines = [f"  %planted.0 = s32[] constant({other})"]
    starts[dim] = "%planted.0"
    lines += [
        f"  %planted.1 = {shape} dynamic-slice(%{root.operands[0].name}, "
        f"{', '.join(starts)}), dynamic_slice_sizes={{{sizes}}}",
    ]
    what = f"{x.name}: {root.name} writes a window that is further in dimension {dim}"
    return insert(facts, root, root.operands[1], lines, "planted.1", what)


def transposed(facts, x):
    """Numbers of the operands that elementwise fusion x reads transposed, once."""
    body = next((c for role, c in facts.module.callees(x) if role == "calls"), None)
    if not body or not is_looped(x):
        return
    moving = [y for y in body.instructions if y.opcode not in PLAIN | {"bitcast"}]
    if len(moving) != 1 or moving[0].opcode != "transpose":
        return
    source = facts.module.by_name[moving[0].operands[0].name]
    order = re.search(r", dimensions=\{([\d,]*)\}", moving[0].line)
    dims = dims_of(source.shape)
    large = [int(d) for d in order[1].split(",") if dims[int(d)] > 1] if order else []
    same = order_of(source.shape) == order_of(moving[0].shape)
    if source.opcode == "parameter" and large != sorted(large) and same:
        yield source.parameter


def taken_over(facts):
    """An instruction that needs whole operands gets the place of one that ends there."""
    for x in buffered(facts):
        if len(facts.defined[x.name]) != 1:
            continue
        if x.opcode == "fusion":
            numbers = set(transposed(facts, x))
        elif x.opcode in WHOLE:
            numbers = set(range(len(x.operands)))
        else:
            continue
        v = facts.defined[x.name][0]
        if not facts.is_movable(v) or facts.mates(v) or max(dims_of(v.shape) or [0]) < 2:
            continue
        for number, operand in enumerate(x.operands):
            u = facts.at.get((operand.name, operand.path))
            if number in numbers and u and u is not v and can_take(facts, x, v, u):
                yield functools.partial(plant_place, facts, x, v, u)


def can_take(facts, x, v, u):
    return (
        facts.is_movable(u)
        and facts.dump.range_of(u)[1] == facts.time.get(x.name)
        and u.size == v.size
        and u.color == v.color
        and facts.is_free(v, u.allocation, u.offset, ignored=(u,))
        and facts.keeps_top(v, u.allocation, u.offset)
    )


def plant_place(facts, x, v, u, rng):
    del rng
    new = facts.dump.clone()
    new.move(new.values[v.id], u.allocation, u.offset)
    what = f"{x.name}: its result has the place of {u.name}"
    return Edit(what, {**printed(new), MODULE: facts.module.with_lines({})})


KINDS = {
    "read-reversed": read_reversed,
    "read-transposed": read_transposed,
    "read-shifted": read_shifted,
    "window-reversed": window_reversed,
    "window-moved": window_moved,
    "taken-over": taken_over,
}
