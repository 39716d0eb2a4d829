"""Faults in any field of a thunk: each changes what a random field says.

Fields are found without a schema: bytes are a text if all of them can be printed, else a
message if they can be read as one, else packed numbers.
"""

from faults import CALL, FAULTS, Edit, fault, shuffled  # noqa: F401
from thunks import KERNELS
from wire import BYTES, Malformed, Message

# Where nothing that a program computes depends on a field: the way to it from its thunk.
WITHOUT_EFFECT = {
    "cpu": {
        (5, 3): "then the comparator decides",
        (5, 3, 2): "then the comparator decides",
        (2, 2): "the name of the module, for profiles",
        (2, 3): "the number of the module, for profiles",
        (11, 3): "what is not marked is read with more care",
        (11, 4): "the loader tests addresses by it",
        (11, 4, 1): "the loader tests addresses by it",
        (11, 4, 2): "the loader tests addresses by it",
        (13, 1): "how many threads compute",
        (17, 7): "how many threads compute",
        (17, 7, 1): "how many threads compute",
        (18, 1, 1): "a name for what devices meet at",
        (18, 3): "made again when the file is loaded",
        (21, 1): "how many threads compute",
        (21, 1, 1): "how many threads compute",
    },
    "gpu": {
        (1, 3): "the number of the thunk, for profiles",
        (1, 4): "for passes over thunks",
        (43, 3, 2): "one group of all",
        (22, 3): "which algorithm is tried first",
        (22, 4): "for autotuning",
        (22, 17): "for autotuning",
    },
}


# What only a kernel's code would show: the code, how it is launched, what it is passed.
CODE = ((36, 3, 2, 2), (36, 3, 2, 5), (36, 3, 3), (36, 3, 4), (36, 3, 6), (36, 4), (36, 6), (59,))

# Entries in any order: pairs of sources and targets, attributes of a call.
SETS = {"cpu": [(18, 8, 1)], "gpu": [(43, 4), (30, 6, 1)]}


def unseen(program, thunk, way):
    """Why no rule can see what is at that way; empty if one should."""
    if program.is_whole_call(thunk) and way[:2] in ((11, 5), (11, 6)):
        return CALL
    gpu = thunk.platform == "gpu"
    code = gpu and any(way[: len(known)] == known for known in CODE)
    return "object code is not read" if code else ""


def reason(thunk, way):
    """Why nothing depends on what is at that way; empty if something may."""
    known = WITHOUT_EFFECT[thunk.platform].get(way)
    if known:
        return known
    rows = thunk.rows
    for place in rows.get("reads", []) + rows.get("writes", []):
        below = way[1:]
        if below == (*place, 4):
            return "the element type, which the shape has"
        shape = below[: len(place) - 1] == place[:-1] and below[: len(place)] != place
        if not shape or len(below) < len(place):
            continue
        if thunk.kind in KERNELS:
            return "a kernel gets addresses"
        if thunk.kind == "device_to_device_copy":
            return "it says how many bytes"
        if below[-1] == 6 or below[-2:] == (5, 16):
            return "what shapes have by default"
    return ""


def nested_ways(thunk):
    """The ways to the sequences nested in a thunk."""
    ways = set()
    for number in thunk.rows.get("nested", []):
        ways.add((thunk.number, number) if number else (thunk.number, thunk.rows.get("list", 1)))
    if thunk.kind == "dynamic_slice_fusion":
        ways.add((thunk.number, 6))
    return ways


def as_message(value):
    """The message that bytes are, or None."""
    if isinstance(value, Message):
        return value
    if not value or all(32 <= byte < 127 for byte in value):
        return None
    try:
        return Message(value)
    except (Malformed, IndexError):
        return None


def places(thunk):
    """(way, message, index) of all fields of a thunk, but what is nested in it."""
    left, found = nested_ways(thunk), []
    waiting = [((), thunk.message)]
    while waiting:
        way, message = waiting.pop()
        for index, field in enumerate(message.fields):
            here = (*way, field[0])
            if here in left:
                continue
            found.append((here, message, index))
            inner = as_message(field[2]) if field[1] == BYTES else None
            if inner:
                field[2] = inner
                waiting.append((here, inner))
    return found


def one_of_each(program, rng, wanted):
    """A random field of each kind of thunk and way to it, in random order."""
    by_way = {}
    for thunk in program.thunks():
        if thunk.kind:
            for way, message, index in places(thunk):
                if wanted(message, index):
                    by_way.setdefault((thunk.kind, way), []).append((thunk, message, index))
    for kind, way in shuffled(sorted(by_way), rng):
        yield way, *rng.choice(by_way[kind, way])


def field_edit(program, way, thunk, what):
    hidden = unseen(program, thunk, way)
    text = f"field {'.'.join(map(str, way))} {what}"
    return Edit(thunk, text, unseen=hidden, harmless=reason(thunk, way))


def is_leaf(message, index):
    return not isinstance(message.fields[index][2], Message)


@fault()
def number_changed(program, rng):
    def is_number(message, index):
        return isinstance(message.fields[index][2], int)

    for way, thunk, message, index in one_of_each(program, rng, is_number):
        before = message.fields[index][2]
        after = before ^ 1 if before in (0, 1) else before + rng.choice((-1, 1))
        message.fields[index][2] = after
        return field_edit(program, way, thunk, f"{after} in place of {before}")
    return None


@fault()
def bytes_changed(program, rng):
    def is_bytes(message, index):
        return isinstance(message.fields[index][2], bytes) and message.fields[index][2]

    for way, thunk, message, index in one_of_each(program, rng, is_bytes):
        before = message.fields[index][2]
        at = rng.randrange(min(len(before), 64))
        after = before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :]
        message.fields[index][2] = after
        return field_edit(program, way, thunk, f"{after[:80]!r} in place of {before[:80]!r}")
    return None


@fault()
def field_dropped(program, rng):
    for way, thunk, message, index in one_of_each(program, rng, lambda *_: True):
        if len(way) > 1:
            del message.fields[index]
            return field_edit(program, way, thunk, "dropped")
    return None


@fault()
def entry_twice(program, rng):
    """One of several entries, so that there is one more of them."""

    def is_repeated(message, index):
        fields = message.fields
        return sum(field[0] == fields[index][0] for field in fields) > 1

    for way, thunk, message, index in one_of_each(program, rng, is_repeated):
        message.fields.insert(index, list(message.fields[index]))
        edit = field_edit(program, way, thunk, "twice")
        if way == (30, 6, 1):
            edit.harmless = "a map"
        return edit
    return None


@fault()
def entries_exchanged(program, rng):
    def others(message, index):
        def encoded(field):
            value = field[2]
            return value.encode() if isinstance(value, Message) else value

        own = message.fields[index]
        return [
            i
            for i, field in enumerate(message.fields)
            if field[0] == own[0] and encoded(field) != encoded(own)
        ]

    for way, thunk, message, index in one_of_each(program, rng, others):
        other = rng.choice(others(message, index))
        fields = message.fields
        fields[index], fields[other] = fields[other], fields[index]
        edit = field_edit(program, way, thunk, f"entries {index} and {other} exchanged")
        if way in SETS[thunk.platform]:
            edit.harmless = "a set"
        return edit
    return None


@fault()
def field_of_another(program, rng):
    """What the same field of another thunk of that kind says."""
    for way, thunk, message, index in one_of_each(program, rng, lambda *_: True):
        own = message.fields[index]
        before = own[2].encode() if isinstance(own[2], Message) else own[2]
        for other in shuffled(program.thunks(), rng):
            if other.kind != thunk.kind or len(way) < 2:
                continue
            for there, holder, at in places(other):
                value = holder.fields[at][2]
                value = value.encode() if isinstance(value, Message) else value
                if there == way and value != before:
                    own[2] = value
                    return field_edit(program, way, thunk, f"is that of {other.name}")
    return None
