"""Faults in a dump: values that flow to where they must not.

Candidates as in plant_places.py.
"""

import functools

from facts import ASYNC, Edit
from hlo import Instruction, index_of, is_array
from plant_places import FROM, printed, with_operands

# elements-exchanged


def elements_exchanged(facts):
    for name, x in facts.module.by_name.items():
        if x.computation.name not in facts.module.buffered:
            continue
        shapes = facts.shapes(name)
        arrays = [i for i, shape in shapes.items() if i and is_array(shape)]
        for number, k in enumerate(arrays):
            for l in arrays[:number]:
                v, w = facts.at.get((name, k)), facts.at.get((name, l))
                if not v or not w or v is w or shapes[k] != shapes[l]:
                    continue
                if v.name == w.name == name:
                    yield functools.partial(exchange_results, facts, x, v, w)
                elif x.opcode == "tuple" and x.root and len(k) == len(l) == 1:
                    yield functools.partial(exchange_operands, facts, x, (v, k), (w, l))


def exchange_results(facts, x, v, w, rng):
    """All readers of one result of x read the other one."""
    del rng
    users = [facts.module.by_name.get(name) for name, *_ in v.uses + w.uses]
    if v.size != w.size or v.place() == w.place() or ASYNC.match(x.opcode):
        return None
    for y in users:  # that read x as a whole
        if y is None or any(o.name == x.name and not o.path for o in y.operands):
            return None
    later = [name for u in (v, w) for name, *_ in u.positions[1:] + u.uses]
    if not any(name in facts.module.by_name for name in later):
        return None
    is_bound = x.opcode in ("while", "conditional", "parameter") or x.declares_aliasing
    if is_bound and any(y.opcode == "while" for y in users):
        return None
    if is_bound and facts.is_output(v) != facts.is_output(w):
        return None
    new = facts.dump.clone()
    one, other = new.values[v.id], new.values[w.id]
    one.positions[1:], other.positions[1:] = w.positions[1:], v.positions[1:]
    one.uses, other.uses = w.uses, v.uses
    one.has_none, other.has_none = w.has_none, v.has_none
    if not is_bound:
        new.move(one, w.allocation, w.offset)
        new.move(other, v.allocation, v.offset)
    if bool(facts.dump.range_of(v)) != bool(facts.dump.range_of(w)):
        return None
    if facts.dump.range_of(v) and not facts.ranges.restate(new, [v, w]):
        return None
    what = f"everything behind {v.tag()} and {w.tag()} exchanged"
    return Edit(
        what + (", not" if is_bound else ", and") + " their places", printed(new)
    )


def operand_name(table, number):
    x = Instruction(table.text[0].removeprefix(FROM).lstrip())
    return x.operands[number].name if number < len(x.operands) else None


def exchange_operands(facts, x, one, other, rng):
    """The tuple at the end of a computation holds two of its elements exchanged."""
    del rng
    inside = {y.name for y in x.computation.instructions}
    for v, index in (one, other):
        if [index_of(i) for n, i in v.positions if n == x.name] != [index]:
            return None
        elsewhere = [n for n, _ in v.positions if n not in inside]
        if any(n in facts.module.by_name for n in elsewhere):
            return None
    new = facts.dump.clone()
    for (v, index), (_, place) in ((one, other), (other, one)):
        copy = new.values[v.id]
        here = [n for n, _ in v.positions].index(x.name)
        copy.positions[here] = x.name, "{%d}" % place
        copy.uses = [
            (n, str(place[0]), i) if (n, int(o)) == (x.name, index[0]) else (n, o, i)
            for n, o, i in v.uses
        ]
    names = {}
    for table in facts.defined[x.name]:
        if table.text:
            k, l = one[1][0], other[1][0]
            names = {k: operand_name(table, l), l: operand_name(table, k)}
            new.values[table.id].text = with_operands(table.text, names)
            if not new.values[table.id].text:
                return None
    return Edit(
        f"{one[0].tag()} and {other[0].tag()} exchanged in {x.name}", printed(new)
    )


# phi-dropped


def phi_dropped(facts):
    loops = {}
    for x in facts.module.by_name.values():
        if x.opcode == "while":
            for _, c in facts.module.callees(x):
                loops[c.name] = x
    for v in facts.dump.values.values():
        x = facts.module.by_name.get(v.name)
        if x and x.opcode == "parameter":
            x = loops.get(x.computation.name)
        elif x and x.opcode == "while":
            x = None  # not without contradicting the loop's own line
        if v.is_phi and x and facts.dump.range_of(v):
            yield functools.partial(drop_phi, facts, x, v)


def inputs_of(facts, x, index):
    """The values that meet at an index of a loop or conditional."""
    roots = [c.root for role, c in facts.module.callees(x) if role != "condition"]
    sources = [(root.name, index) for root in roots]
    if x.opcode == "while":
        sources.append((x.operands[0].name, x.operands[0].path + index))
    return [facts.at.get(source) for source in sources]


def drop_phi(facts, x, v, rng):
    """A phi's positions and uses go to one of the values that meet there."""
    inputs = inputs_of(facts, x, v.key[1])
    # two values of which no other phi is made: the compiler needs this one
    if None in inputs or len(set(inputs)) < len(inputs):
        return None
    if any(u.is_phi for u in (inputs[:1] if x.opcode == "while" else inputs)):
        return None
    heirs = [inputs[-1]] if x.opcode == "while" else inputs
    heirs = [u for u in heirs if u.place() == v.place()]
    if not heirs or facts.dump.allocations[v.allocation].tail:
        return None
    new = facts.dump.clone()
    heir = new.values[rng.choice(heirs).id]
    heir.positions += v.positions
    heir.uses += v.uses
    new.remove(new.values[v.id])
    mates = [u for u in facts.mates(v) if facts.dump.range_of(u)]
    if not facts.ranges.restate(new, mates):
        return None
    return Edit(
        f"{v.tag()} dropped, {heir.tag()} takes its positions and uses", printed(new)
    )


KINDS = {"elements-exchanged": elements_exchanged, "phi-dropped": phi_dropped}
