"""Faults in the thunks of a program, planted one at a time.

Each function takes a Program and a random.Random, changes one thing and returns an Edit,
or None where the program has no place for it.
"""

from computations import Computations
from races import STREAMS, first_race
from thunks import KERNELS, Thunk
from wire import Message

FAULTS = {}
UNUSED_STREAM = 7
CALL = "lists of kernels of whole calls have no order"
SERIES = "which kernels make one sort, and in which order, is not known"
COMPUTATION = 4


class Edit:
    """What was changed; why no rule can see it, or why it changes nothing."""

    def __init__(self, thunk, what, unseen="", harmless=""):
        self.text = f"{thunk.kind} {thunk.name or '(no name)'}: {what}"
        self.unseen, self.harmless = unseen, harmless


def fault(platform=None):
    def register(function):
        FAULTS[function.__name__.replace("_", "-")] = (function, platform)
        return function

    return register


def shuffled(values, rng):
    values = list(values)
    rng.shuffle(values)
    return values


def accesses(program, rng, written):
    """(thunk, slice) of all that are read, or written, in random order."""
    found = [(t, s) for t in program.thunks() for s in t.slices()]
    return shuffled([(t, s) for t, s in found if s.written == written and s.size], rng)


def exchange(program, rng, written):
    for thunk in shuffled(program.thunks(), rng):
        if thunk.kind not in KERNELS and written:
            continue
        found = [s for s in thunk.slices() if s.written == written and s.size]
        pairs = [
            (a, b)
            for i, a in enumerate(found)
            for b in found[:i]
            if a.size == b.size and a.place != b.place
        ]
        if pairs:
            a, b = rng.choice(pairs)
            a.place, b.place = b.place, a.place
            unseen = CALL if program.is_whole_call(thunk) else ""
            return Edit(thunk, f"{a} and {b} exchanged", unseen)
    return None


@fault()
def arguments_exchanged(program, rng):
    return exchange(program, rng, False)


@fault()
def results_exchanged(program, rng):
    return exchange(program, rng, True)


def shift(program, rng, written):
    """Within the allocation where it has room for that."""
    found = accesses(program, rng, written)
    for last, (thunk, used) in enumerate(found, 1 - len(found)):
        allocation, offset, size = used.place
        end = program.size_of(allocation)
        steps = [d for d in (size, -size, 64, -64) if 0 <= offset + d <= end - size]
        if steps or not last:
            used.place = allocation, offset + rng.choice(steps or [64]), size
            return Edit(thunk, f"a slice moved to {used}")
    return None


@fault()
def read_shifted(program, rng):
    return shift(program, rng, False)


@fault()
def write_shifted(program, rng):
    return shift(program, rng, True)


def elsewhere(program, rng, written):
    places = {s.place for thunk in program.thunks() for s in thunk.slices()}
    for thunk, used in accesses(program, rng, written):
        others = sorted(p for p in places if p[2] == used.size and p != used.place)
        if others:
            before = str(used)
            used.place = rng.choice(others)
            unseen = CALL if program.is_whole_call(thunk) and lists(thunk, used) else ""
            return Edit(thunk, f"{used} in place of {before}", unseen)
    return None


def lists(thunk, used):
    """True if a list of the thunk has the same slice twice."""
    return sum(s.place == used.place for s in thunk.slices()) > 1


@fault()
def read_of_another_value(program, rng):
    return elsewhere(program, rng, False)


@fault()
def write_to_another_value(program, rng):
    return elsewhere(program, rng, True)


@fault()
def wrong_size(program, rng):
    found = accesses(program, rng, rng.random() < 0.5)
    if not found:
        return None
    thunk, used = found[0]
    allocation, offset, size = used.place
    used.place = allocation, offset, rng.choice([size + 64, size // 2, size + 4])
    return Edit(thunk, f"{size} bytes changed to {used.size}")


@fault()
def constant_written(program, rng):
    found, constants = accesses(program, rng, True), program.constants()
    if not found or not constants:
        return None
    thunk, used = found[0]
    fitting = [row for row in constants if row[1] >= used.size] or constants
    used.place = rng.choice(fitting)[0], 0, used.size
    return Edit(thunk, f"writes constant {used}")


def is_series(thunks, thunk):
    """True if kernels of the same instruction are next to each other in a sequence."""
    return thunk.kind in KERNELS and sum(t.name == thunk.name for t in thunks) > 1


def places_of(program, accept):
    """(sequence, thunks, index) of each thunk that is accepted."""
    return [
        (sequence, thunks, index)
        for sequence in program.sequences()
        for thunks in [sequence.thunks()]
        for index, thunk in enumerate(thunks)
        if accept(thunk)
    ]


@fault()
def thunk_dropped(program, rng):
    found = places_of(program, lambda thunk: thunk.kind not in ("async_done", None))
    if not found:
        return None
    sequence, thunks, index = rng.choice(found)
    sequence.put(thunks[:index] + thunks[index + 1 :])
    series = is_series(thunks, thunks[index])
    return Edit(thunks[index], "dropped", SERIES if series else "")


@fault()
def thunk_repeated(program, rng):
    found = places_of(program, lambda thunk: thunk.body and thunk.slices())
    if not found:
        return None
    sequence, thunks, index = rng.choice(found)
    thunk = thunks[index]
    sequence.put(thunks[: index + 1] + [thunk.copy()] + thunks[index + 1 :])
    reads = [s for s in thunk.slices() if not s.written]
    writes = [s for s in thunk.slices() if s.written]
    again = not any(r.meets(w) for r in reads for w in writes)
    unseen = SERIES if is_series(thunks, thunk) else ""
    return Edit(thunk, "repeated", unseen, "computes the same again" if again else "")


@fault()
def neighbors_exchanged(program, rng):
    found = [row for row in places_of(program, lambda thunk: True) if row[2]]
    for sequence, thunks, index in shuffled(found, rng):
        a, b = thunks[index - 1], thunks[index]
        if a.message.encode() == b.message.encode():
            continue
        thunks[index - 1], thunks[index] = b, a
        sequence.put(thunks)
        unseen = SERIES if a.name == b.name and is_series(thunks, a) else ""
        free = "independent" if independent(a, b) else ""
        return Edit(b, f"before {a.name}", unseen, free)
    return None


def independent(a, b):
    kinds = {a.kind, b.kind}
    if None in kinds or kinds & {"async_start", "async_done", "collective"}:
        return False
    return not any(
        (x.written or y.written) and x.meets(y)
        for x in a.all_slices()
        for y in b.all_slices()
    )


@fault("cpu")
def invariant_set(program, rng):
    """A kernel reads an argument as if nothing wrote it, and writes it."""
    for thunk in shuffled(program.thunks(), rng):
        if thunk.kind != "kernel":
            continue
        marked = thunk.body.numbers(3)
        arguments = [s for s in thunk.slices() if not s.written]
        results = [s for s in thunk.slices() if s.written]
        for index, argument in enumerate(arguments):
            if index not in marked and any(map(argument.meets, results)):
                thunk.body.set_numbers(3, sorted([*marked, index]))
                call = program.is_whole_call(thunk)
                same = [s for s in results if s.place == argument.place]
                return Edit(
                    thunk,
                    f"argument {index} marked invariant",
                    harmless="" if same or not call else "may be one of a list",
                )
    return None


@fault("cpu")
def invariant_cleared(program, rng):
    for thunk in shuffled(program.thunks(), rng):
        marked = thunk.body.numbers(3) if thunk.kind == "kernel" else []
        if marked:
            index = marked.pop(rng.randrange(len(marked)))
            thunk.body.set_numbers(3, marked)
            return Edit(
                thunk,
                f"argument {index} no longer marked invariant",
                harmless="a mark that is missing only forbids optimizations",
            )
    return None


def flag_changed(program, rng, before):
    for thunk in shuffled(program.thunks(), rng):
        number = thunk.rows.get("flags")
        flags = thunk.body.numbers(number) if number else []
        places = [index for index, flag in enumerate(flags) if flag == before]
        if places:
            index = rng.choice(places)
            flags[index] = 1 - before
            thunk.body.set_numbers(number, flags)
            return Edit(thunk, f"written flag {index} is {1 - before}")
    return None


@fault("gpu")
def written_flag_cleared(program, rng):
    return flag_changed(program, rng, 1)


@fault("gpu")
def written_flag_set(program, rng):
    return flag_changed(program, rng, 0)


@fault()
def condition_elsewhere(program, rng):
    found = [t for t in program.thunks() if t.kind in ("while", "conditional")]
    found = [t for t in found if t.slices()]
    if not found:
        return None
    thunk = rng.choice(found)
    used = thunk.slices()[0]
    places = {s.place for other in program.thunks() for s in other.slices()}
    others = sorted({p[:2] for p in places if p[2] >= used.size} - {used.place[:2]})
    if not others:
        return None
    used.place = *rng.choice(others), used.size
    return Edit(thunk, f"condition in {used}")


@fault()
def branches_exchanged(program, rng):
    found = [t for t in program.thunks() if t.kind == "conditional"]
    for thunk in shuffled(found, rng):
        number = thunk.rows["nested"][0]
        branches = [Message(m.encode()) for m in thunk.body.messages(number)]
        pairs = [
            (i, j)
            for i in range(len(branches))
            for j in range(i)
            if branches[i].encode() != branches[j].encode()
        ]
        if pairs:
            i, j = rng.choice(pairs)
            branches[i], branches[j] = branches[j], branches[i]
            thunk.body.replace(number, branches)
            return Edit(thunk, f"branches {j} and {i} exchanged")
    return None


def other_kernel(program, thunk, rng):
    """A thunk with another kernel and as many slices, or else with any other."""
    others = [
        other
        for other in program.thunks()
        if other.kind == thunk.kind and other.kernel_name() != thunk.kernel_name()
    ]
    count = len(thunk.slices())
    alike = [other for other in others if len(other.slices()) == count]
    return rng.choice(alike or others) if others else None


def kernel_edit(program, thunk, other, what):
    if thunk.name == other.name:
        return Edit(thunk, what, SERIES)
    same = Computations(program.module).same(thunk.name, other.name)
    return Edit(thunk, what, harmless="both compute the same" if same else "")


@fault()
def callee_of_another(program, rng):
    kernels = [thunk for thunk in program.thunks() if thunk.kernel_name()]
    for thunk in shuffled(kernels, rng):
        other = other_kernel(program, thunk, rng)
        if other:
            before = thunk.kernel_name()
            thunk.take_kernel(other)
            what = f"kernel {before} replaced by {other.kernel_name()}"
            return kernel_edit(program, thunk, other, what)
    return None


@fault("gpu")
def binary_of_another(program, rng):
    """A custom kernel keeps its name, and what is loaded is that of another."""
    kernels = [thunk for thunk in program.thunks() if thunk.kind == "custom_kernel"]
    for thunk in shuffled(kernels, rng):
        other = other_kernel(program, thunk, rng)
        if other:
            loaded = other.body.message(3).message(2).encode()
            thunk.body.message(3).replace(2, [loaded])
            what = f"loads {other.kernel_name()}"
            return kernel_edit(program, thunk, other, what)
    return None


@fault()
def callee_unknown(program, rng):
    for thunk in shuffled(program.thunks(), rng):
        if thunk.kernel_name():
            thunk.rename_kernel("no_such_kernel")
            return Edit(thunk, "calls no_such_kernel")
    return None


@fault("cpu")
def resources_dropped(program, rng):
    """Two collectives of a sequence are no longer ordered by their communicator."""
    for sequence in shuffled(program.sequences(), rng):
        rows = sequence.message.messages(2)
        if any(len(row.numbers(1)) > 1 for row in rows):
            sequence.message.replace(2, [])
            first = sequence.thunks()[rows[0].numbers(1)[0]]
            return Edit(first, "resources of its sequence dropped")
    return None


def order_edit(program, thunk, what):
    race = first_race(program)
    if not race:
        return Edit(thunk, what, harmless="no conflict is left")
    names = " and ".join(access.thunk.name for access in race)
    return Edit(thunk, f"{what} (race of {names} in {race[0].slice})")


@fault("gpu")
def done_dropped(program, rng):
    found = places_of(program, lambda thunk: thunk.kind == "async_done")
    if not found:
        return None
    sequence, thunks, index = rng.choice(found)
    sequence.put(thunks[:index] + thunks[index + 1 :])
    return order_edit(program, thunks[index], "dropped")


@fault("gpu")
def done_later(program, rng):
    """The done comes last in its sequence."""
    found = places_of(program, lambda thunk: thunk.kind == "async_done")
    found = [row for row in found if row[2] + 1 < len(row[1])]
    if not found:
        return None
    sequence, thunks, index = rng.choice(found)
    sequence.put([*thunks[:index], *thunks[index + 1 :], thunks[index]])
    return order_edit(program, thunks[index], "comes last")


@fault("gpu")
def done_of_another(program, rng):
    dones = [thunk for thunk in program.thunks() if thunk.kind == "async_done"]
    for thunk in shuffled(dones, rng):
        number = thunk.body.number(1)
        others = sorted({d.body.number(1) for d in dones} - {number})
        if others:
            thunk.body.set_number(1, rng.choice(others))
            return order_edit(program, thunk, f"waits for {thunk.body.number(1)}, not for {number}")
    return None


@fault("gpu")
def fork_dropped(program, rng):
    """What was started runs in the stream around it; the done stays."""
    found = places_of(program, lambda thunk: thunk.kind == "async_start")
    if not found:
        return None
    sequence, thunks, index = rng.choice(found)
    inner = [t for below in thunks[index].lists() for t in below.thunks()]
    sequence.put(thunks[:index] + inner + thunks[index + 1 :])
    return order_edit(program, thunks[index], "its thunks run in the stream around it")


@fault("gpu")
def stream_changed(program, rng):
    """An asynchronous start on a stream of another one, or on one of its own."""
    starts = [thunk for thunk in program.thunks() if thunk.kind == "async_start"]
    if not starts:
        return None
    thunk = rng.choice(starts)
    old = next((n for n in STREAMS if n in thunk.body), 0)
    streams = {(n, t.body.number(n)) for t in starts for n in STREAMS if n in t.body}
    streams |= {(n, UNUSED_STREAM) for n in STREAMS}
    streams.discard((old, thunk.body.number(old)))
    number, stream = rng.choice(sorted(streams))
    for each in STREAMS:
        thunk.body.replace(each, [stream] if each == number else [])
    return order_edit(program, thunk, f"stream is {stream}, field {number}")


@fault("gpu")
def thunk_forked(program, rng):
    """One thunk moves to a stream that nothing waits for."""
    moved = (*KERNELS, "device_to_device_copy", "cublas_lt", "fft", "convolution")
    found = places_of(program, lambda thunk: thunk.kind in moved)
    if not found:
        return None
    sequence, thunks, index = rng.choice(found)
    start = Message()
    start.append(1, thunks[index].message.message(1))
    start.append(57, Message())
    body = start.message(57)
    body.append(1, 999999)
    body.append(3, Message())
    body.message(3).append(1, thunks[index].message)
    body.append(COMPUTATION, UNUSED_STREAM)
    moved = Thunk(start, program.platform)
    sequence.put([*thunks[:index], moved, *thunks[index + 1 :]])
    return order_edit(program, thunks[index], "forked, nothing waits for it")
