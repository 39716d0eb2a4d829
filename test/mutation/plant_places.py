"""Faults in a dump: values at places where they must not be.

Each kind is a function that yields candidates. A candidate, called with a random
generator, makes an Edit, or None where the rest of the dump would contradict it.
"""

import functools

from aliases import aliases
from facts import ASYNC, Edit
from harness import ASSIGNMENT
from hlo import Instruction, is_array, pieces

FROM = " from instruction:"


def printed(dump):
    return {tail: dump.text(tail) for tail in dump.files}


def with_operands(text, names):
    """The text of an instruction with other operands (by number), or None."""
    line = text[0].removeprefix(FROM)
    x = Instruction(line.lstrip())
    if len(list(pieces(x.line, x.begin, x.end))) != len(x.operands):
        return None
    new = x.line
    for number in sorted(names, reverse=True):
        if number >= len(x.operands) or names[number] is None:
            return None
        o = x.operands[number]
        sign = "%" if new[o.begin] == "%" else ""
        new = new[: o.begin] + sign + names[number] + new[o.end :]
    return [FROM + line[: len(line) - len(line.lstrip())] + new] + list(text[1:])


# use-dropped


def use_dropped(facts):
    for v in facts.dump.values.values():
        if facts.is_movable(v) and facts.is_judged(v) and not v.is_phi:
            for use in v.uses:
                x = facts.module.by_name.get(use[0])
                if x and facts.time.get(x.name) == facts.dump.range_of(v)[1]:
                    yield functools.partial(drop_use, facts, v, x, use)


def drop_use(facts, v, x, use, rng):
    """The last reader of v reads something else, and v's bytes get a new tenant."""
    number, rest = int(use[1]), [u for u in v.uses if u != use]
    if x.opcode in ("while", "call", "conditional") or x.declares_aliasing or use[2]:
        return None
    if any(w.place() == v.place() for w in facts.defined[x.name]):
        return None
    if not rest and not v.index:  # the compiler would not have kept it
        return None
    readers = list(other_sources(facts, x, number, v))
    if not readers or not rest and facts.dump.says_none() is None:
        return None
    w, name = rng.choice(readers)
    new = facts.dump.clone()
    value = new.values[v.id]
    value.uses, value.has_none = rest, (
        value.has_none if rest else facts.dump.says_none()
    )
    new.values[w.id].uses.append(use)
    for written in facts.defined[x.name]:
        if written.text:
            written = new.values[written.id]
            written.text = with_operands(written.text, {number: name})
            if not written.text:
                return None
    if not facts.ranges.restate(new, [v, w]):
        return None
    start, end = new.range_of(v)[1], facts.dump.range_of(v)[1]
    if start >= end:
        return None
    what = f"operand {number} of {x.name} is no longer {v.tag()} but {w.tag()}"
    for w in guests(facts, v, start, end):
        new.move(new.values[w.id], v.allocation, v.offset)
        what += f"; {w.tag()} moved to where it was"
        break
    return Edit(what, printed(new))


def other_sources(facts, x, number, v):
    """(value, instruction) of the same shape that are alive at x anyway."""
    if number >= len(x.operands):
        return
    o, now = x.operands[number], facts.time[x.name]
    shape = facts.shapes(o.name).get(o.path)
    for y in x.computation.instructions:
        w = facts.at.get((y.name, ()))
        if w is None or w is v or facts.shapes(y.name).get(()) != shape:
            continue
        span = facts.dump.range_of(w)
        if span and span[1] >= now > facts.time.get(y.name, now):
            yield w, y.name


def guests(facts, v, start, end):
    """Values that are born in the time that v lost, and fit onto its bytes."""
    for w in facts.dump.members(v.allocation):
        if w is v or w.is_phi or w.size > v.size or w.color != v.color:
            continue
        if not facts.is_movable(w) or w.offset == v.offset or facts.mates(w):
            continue
        if not start < facts.dump.range_of(w)[0] < end:
            continue
        if facts.keeps_top(w, v.allocation, v.offset):
            if facts.is_free(w, v.allocation, v.offset, (v,)):
                yield w


# alias-broken


def alias_broken(facts):
    known = list(aliases(facts))
    for a in known:
        if a.how != "declared":
            yield functools.partial(break_alias, facts, known, a.one, a)
            yield functools.partial(break_alias, facts, known, a.other, a)
    outputs = [a.one for a in known if a.how == "donation"]
    for number, v in enumerate(outputs):
        for w in outputs[:number]:
            if v.shape == w.shape and v.allocation != w.allocation:
                yield functools.partial(exchange_donated, facts, v, w)


def party_of(known, v):
    """v, and the values that a loop's line alone ties to it: its init and its result."""
    party, count = [v], 0
    while count < len(party):
        count = len(party)
        for a in known:
            if a.how in ("loop's init", "declared") and (a.one in party) != (
                a.other in party
            ):
                party.append(a.other if a.one in party else a.one)
    return party


def break_alias(facts, known, v, alias, rng):
    """v leaves the place that it must share."""
    party, home = party_of(known, v), facts.dump.allocations[v.allocation]
    if {alias.one, alias.other} <= set(party):
        return None
    for w in party:
        span = facts.dump.range_of(w)
        if not span or not w.size or not is_array(w.shape) or not facts.is_judged(w):
            return None
        if facts.is_parameter(w) or not home.is_temp and span[1] == len(facts.time):
            return None
    places = [
        (a.number, offset)
        for a in facts.dump.allocations
        if a.is_temp and a.color == home.color and not a.tail
        for offset in facts.places_in(v, a.number)
        if (a.number, offset) != (v.allocation, v.offset)
        and all(facts.is_free(w, a.number, offset) for w in party)
    ]
    if not places:
        return None
    new, place = facts.dump.clone(), rng.choice(places)
    for w in party:
        new.move(new.values[w.id], *place)
    if home.size != home.top(new.members(v.allocation)):
        return None
    if not facts.ranges.restate(new, party):
        return None
    other = alias.other if alias.one in party else alias.one
    tags = ", ".join(w.tag() for w in party)
    what = f"{tags} moved to allocation %d, offset %d, away from {other.tag()} ({alias.how})"
    return Edit(what % place, printed(new))


def exchange_donated(facts, v, w, rng):
    """Two donated outputs, each in the parameter of the other one."""
    del rng
    for one in (v, w):
        a = facts.dump.allocations[one.allocation]
        if not a.parameter or facts.is_parameter(one) or not facts.dump.range_of(one):
            return None
        if one.size != a.size or not facts.mates(one):
            return None
    new = facts.dump.clone()
    new.move(new.values[v.id], w.allocation, 0)
    new.move(new.values[w.id], v.allocation, 0)
    if not facts.ranges.restate(new, [v, w]):
        return None
    return Edit(f"{v.tag()} and {w.tag()} exchanged their parameters", printed(new))


# overlap


def overlap(facts):
    """Pairs of arrays that are live together, in one temp. The index of a conditional is
    read before its branches, although its range lasts until their end."""
    dump = facts.dump
    for a in dump.allocations if facts.module.is_scheduled else ():
        members = [v for v in dump.members(a.number) if facts.is_movable(v)]
        members = [] if a.tail else [v for v in members if is_plain(facts, v)]
        members = [v for v in members if not is_branch_index(facts, v)]
        members.sort(key=dump.range_of)
        for number, v in enumerate(members):
            for w in members[number + 1 :]:
                start, end = dump.range_of(w)  # v begins first
                if start >= dump.range_of(v)[1]:
                    break
                if start < end and v.name != w.name and v.place() != w.place():
                    if are_together(facts, v, w) and is_read_after(facts, v, w):
                        yield functools.partial(move_onto, facts, v, w)
                        yield functools.partial(move_onto, facts, w, v)


def is_branch_index(facts, v):
    """Whether the last that reads it is a conditional, as its index."""
    for name, number, *_ in v.uses:
        x = facts.module.by_name.get(name)
        if x and x.opcode == "conditional" and int(number) == 0:
            return True
    return False


def is_read_after(facts, v, w):
    """Whether something reads v when w, no copy of it, is there; a call does not read all
    of a tuple."""
    start = facts.dump.range_of(w)[0]
    read = not v.uses
    for name, _, index in v.uses:
        x = facts.module.by_name.get(name)
        opcode = x.opcode if x else ""
        if opcode == "copy" and name == w.name:
            return False
        whole = opcode == "call" and index
        read |= facts.time.get(name, 0) >= start and not whole
    return read


def is_plain(facts, v):
    """Whether its bytes are its own for all of its range (see buffer-overlap)."""
    x, index = facts.module.by_name.get(v.name), v.key[1]
    if facts.is_tpu and x and ASYNC.match(x.opcode) and index and index[0] > 1:
        return False  # the contexts of chains that overlap share one place
    names = [v.name] + [name for name, *_ in v.uses]
    opcodes = {x.opcode for x in map(facts.module.by_name.get, names) if x}
    return facts.is_judged(v) or not (
        facts.has_async or opcodes & {"conditional", "custom-call"}
    )


def are_together(facts, v, w):
    """In alternate memory: whether each is still read after the other one begins."""
    if facts.is_judged(v):
        return True
    for one, other in ((v, w), (w, v)):
        if facts.ranges.end(one, [], one.uses) <= facts.dump.range_of(other)[0]:
            return False
    return True


def move_onto(facts, v, w, rng):
    """v gets a place where it shares bytes with w."""
    offsets = []
    for offset in facts.places_in(v, v.allocation) if not facts.mates(v) else ():
        hit = list(facts.overlapped(v, v.allocation, offset))
        if offset != v.offset and w in hit and all(is_array(u.shape) for u in hit):
            if facts.keeps_top(v, v.allocation, offset):
                if all(u.name != v.name for u in hit):
                    offsets.append(offset)
    if not offsets:
        return None
    new, offset = facts.dump.clone(), rng.choice(offsets)
    new.move(new.values[v.id], v.allocation, offset)
    start, end = facts.dump.range_of(v)
    hit = facts.overlapped(v, v.allocation, offset)
    spans = [(u.name, facts.dump.range_of(u)) for u in hit]
    names = {
        name for name, span in spans if span and span[0] <= end and start <= span[1]
    }
    what = f"{v.tag()} moved to offset {offset}, onto {w.tag()}"
    return Edit(
        what, {ASSIGNMENT: new.assignment()}, [{v.name, name} for name in names]
    )


KINDS = {
    "use-dropped": use_dropped,
    "alias-broken": alias_broken,
    "overlap": overlap,
}
