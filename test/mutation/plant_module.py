"""Faults in the text of a module whose dump stays as it is.

Each kind is a function that yields candidates. A candidate, called with a random
generator, makes an Edit of the module's text, or None where the edit would change
nothing that the dump shows; the rules are listed in consistent.py.
"""

import functools
import re

from facts import ASYNC, Edit
from hlo import NAME

MODULE = ".txt"
WIDTHS = (
    ("pred", "s8", "u8"),
    ("bf16", "f16", "s16", "u16"),
    ("f32", "s32", "u32"),
    ("f64", "s64", "u64", "c64"),
)
# Opcodes whose results may have to share a place with an operand.
IN_PLACE = (
    "dynamic-update-slice",
    "scatter",
    "set-dimension-size",
    "ragged-all-to-all",
)
IN_PLACE += ("while", "conditional", "fusion", "custom-call", "async-start")
IN_PLACE += ("all-reduce-start", "collective-permute", "collective-permute-start")
OPERAND_ALIASING = re.compile(r", output_to_operand_aliasing=\{(?:[^{}]|\{[^{}]*\})*\}")


def buffered(facts):
    """Instructions of the computations that have buffers."""
    for x in facts.module.by_name.values():
        if x.computation.name in facts.module.buffered:
            yield x


def edit_line(facts, x, begin, end, new, what):
    line = x.line[:begin] + new + x.line[end:]
    return Edit(
        f"line {x.number + 1}, {x.name}: {what}",
        {MODULE: facts.module.with_lines({x.number: line})},
    )


def differ(facts, one, other, only=None):
    """Whether two sources, (name, path), are known to hold other values.

    only: the element that is read, where the reader is a get-tuple-element.
    """
    for index in facts.shapes(one[0]):
        if index[: len(one[1])] != one[1]:
            continue
        rest = index[len(one[1]) :]
        if only is not None and rest[:1] not in ((), (only,)):
            continue
        if facts.at.get((one[0], index)) is not facts.at.get(
            (other[0], other[1] + rest)
        ):
            return True
    return False


def element_of(x):
    """The element that a get-tuple-element reads; of other opcodes None."""
    span = x.opcode == "get-tuple-element" and x.element()
    return int(x.line[slice(*span)]) if span else None


# module-operand


def operand(facts):
    for x in buffered(facts):
        for number in range(len(x.operands)):
            yield functools.partial(other_operand, facts, x, number)


def other_operand(facts, x, number, rng):
    old = x.operands[number]
    shape = facts.shapes(old.name).get(old.path)
    sources = [
        y
        for y in x.computation.instructions
        if y is not x
        and facts.shapes(y.name).get(()) == shape
        and comes_before(facts, y, x)
        and differ(facts, (old.name, old.path), (y.name, ()), element_of(x))
    ]
    if not sources:
        return None
    new, was = rng.choice(sources).name, x.line[old.begin : old.end]
    sign = "%" if was.startswith("%") else ""
    what = f"operand {number} is {sign}{new}, was {was}"
    return edit_line(facts, x, old.begin, old.end, sign + new, what)


def comes_before(facts, y, x):
    if facts.module.is_scheduled or x.name not in facts.time:
        return y.number < x.number
    return facts.time.get(y.name, len(facts.time)) < facts.time[x.name]


# module-type


def element_type(facts):
    for x in buffered(facts):
        for index, begin, end in x.nodes:
            tables = (facts.at.get((x.name, index[:n])) for n in range(len(index) + 1))
            if any(v and v.name == x.name for v in tables):
                yield functools.partial(other_type, facts, x, begin, end)


def other_type(facts, x, begin, end, rng):
    match = re.compile(r"[a-z]\w*(?=\[)").match(x.line, begin, end)
    for types in WIDTHS:
        if match and match[0] in types:
            new = rng.choice([t for t in types if t != match[0]])
            return edit_line(
                facts, x, *match.span(), new, f"{new}[..], was {match[0]}[..]"
            )
    return None


# module-order


def order(facts):
    if not facts.module.is_scheduled:
        return
    for c in facts.module.computations.values():
        if c.name in facts.module.buffered:
            for x, y in zip(c.instructions, c.instructions[1:]):
                if facts.is_sequenced(x.name) and facts.is_sequenced(y.name):
                    yield functools.partial(other_order, facts, x, y)


def other_order(facts, x, y, rng):
    del rng
    lines = facts.module.lines
    is_whole = y.number == x.number + 1 and lines[y.number + 1].startswith(("  ", "}"))
    if not is_whole or x.name in re.findall(NAME, y.line):
        return None
    return Edit(
        f"line {x.number + 1}, {x.name}: exchanged with the next one, {y.name}",
        {MODULE: facts.module.with_lines({x.number: y.line, y.number: x.line})},
    )


# module-index


def index(facts):
    for x in buffered(facts):
        if element_of(x) is not None:
            o = x.operands[0]
            path = o.path + (element_of(x),)
            yield functools.partial(
                other_index, facts, x, o.name, path, len(o.path), x.element(), None
            )
        for o in x.operands:
            end = x.line.find("#", o.begin, o.end)
            for number, k in enumerate(o.path):
                span = end + 1, end + 1 + len(str(k))
                yield functools.partial(
                    other_index, facts, x, o.name, o.path, number, span, element_of(x)
                )
                end = span[1]


def other_index(facts, x, source, path, number, span, only, rng):
    shapes, head, tail = facts.shapes(source), path[:number], path[number + 1 :]
    count = sum(len(i) == number + 1 and i[:number] == head for i in shapes)
    numbers = [
        k
        for k in range(count)
        if k != path[number]
        and shapes.get(head + (k,)) == shapes.get(path[: number + 1])
        and differ(facts, (source, path), (source, head + (k,) + tail), only)
    ]
    if not numbers:
        return None
    new = str(rng.choice(numbers))
    what = f"element {new} of {'#'.join((source, *map(str, head)))}, was {path[number]}"
    return edit_line(facts, x, *span, new, what)


# module-alias


def alias(facts):
    root = facts.module.entry.root.name
    for output, number, path, begin, end in facts.module.donations():
        x = facts.module.entry.parameters().get(number)
        v = x and facts.at.get((x.name, path))
        span = v and facts.dump.range_of(v)
        if not span or v is facts.at.get((root, output)) or span[1] == len(facts.time):
            continue
        if not any(writes_in_place(facts, x, v) for x in facts.module.by_name.values()):
            yield functools.partial(drop_donation, facts, begin, end)
    for x in buffered(facts):
        attribute = OPERAND_ALIASING.search(x.line, x.end, x.attributes_end())
        texts = [v.text for v in facts.defined[x.name] if v.text]
        if ASYNC.match(x.opcode):  # the two texts differ in these
            continue
        if attribute and any(attribute[0] in text[0] for text in texts):
            for item in x.aliases():
                yield functools.partial(drop_aliasing, facts, x, attribute, *item[3:])


def writes_in_place(facts, x, v):
    """Whether v must share its place with a result of x, donated or not."""
    if not any(w.place() == v.place() for w in facts.defined[x.name]):
        return False
    if all(u is not v for u, *_ in facts.users[x.name]):
        return False
    if x.opcode != "fusion":
        return x.opcode in IN_PLACE
    lines = (y.line for _, c in facts.module.callees(x) for y in c.instructions)
    return x.declares_aliasing or any(
        f" {op}(" in line for line in lines for op in IN_PLACE
    )


def without(text, attribute, begin, end):
    """The text without an item of an attribute; without the attribute, if it is empty."""
    inside = text[attribute[0] : attribute[1]]
    if inside.count("(") == 1:
        return text[: attribute[0]] + text[attribute[1] :]
    if text.startswith(", ", end):
        return text[:begin] + text[end + 2 :]
    return text[: begin - 2] + text[end:]


def drop_donation(facts, begin, end, rng):
    del rng
    head = facts.module.head
    match = re.search(r", input_output_alias=\{(?:[^{}]|\{[^{}]*\})*\}", head)
    new = without(head, match.span(), begin, end)
    return Edit(
        f"line 1: {head[begin:end]} dropped from input_output_alias",
        {MODULE: facts.module.with_lines({0: new})},
    )


def drop_aliasing(facts, x, attribute, begin, end, rng):
    del rng
    return Edit(
        f"line {x.number + 1}, {x.name}: {x.line[begin:end]} dropped",
        {
            MODULE: facts.module.with_lines(
                {x.number: without(x.line, attribute.span(), begin, end)}
            )
        },
    )


# module-body


def body(facts):
    called = []
    for x in buffered(facts):
        if x.opcode in ("while", "conditional") and facts.is_sequenced(x.name):
            for role, name, begin, end in x.called():
                c = facts.module.computations.get(name)
                if c and any(facts.is_sequenced(y.name) for y in c.instructions):
                    called.append((x, role, c, begin, end))
    for number, one in enumerate(called):
        for other in called[:number]:
            if one[2] is other[2] or one[2].signature() != other[2].signature():
                continue
            if one[0] is other[0] or one[0].opcode == other[0].opcode == "while":
                yield functools.partial(exchange_bodies, facts, one, other)


def exchange_bodies(facts, one, other, rng):
    del rng
    lines = {}
    # the later one of a line first: its place must not move
    for (x, _, _, begin, end), (_, _, c, _, _) in sorted(
        ((one, other), (other, one)), key=lambda p: -p[0][3]
    ):
        line = lines.get(x.number, x.line)
        lines[x.number] = line[:begin] + c.name + line[end:]
    x, y = one[0], other[0]
    return Edit(
        f"{one[1]} of {x.name}, line {x.number + 1}, and {other[1]} of {y.name}, "
        f"line {y.number + 1}, exchanged: {one[2].name}, {other[2].name}",
        {MODULE: facts.module.with_lines(lines)},
    )


KINDS = {
    "module-operand": operand,
    "module-type": element_type,
    "module-order": order,
    "module-index": index,
    "module-alias": alias,
    "module-body": body,
}
