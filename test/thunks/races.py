"""Accesses of GPU thunks that conflict and that no stream, start or done orders."""

# The fields of async_start that name a stream: of computation, of communication, and of
# copies to and from the memory of the host.
STREAMS = (4, 5, 6)
ITERATIONS = 2


class Access:
    def __init__(self, thunk, used, stream, clock, branches):
        self.thunk, self.slice, self.stream = thunk, used, stream
        self.count, self.clock = clock[stream], dict(clock)
        self.branches = dict(branches)

    def before(self, other):
        return other.clock.get(self.stream, 0) >= self.count

    def meets(self, other):
        """True if both are in one run and conflict, on streams of their own."""
        if self.stream == other.stream or not self.slice.meets(other.slice):
            return False
        if not (self.slice.written or other.slice.written):
            return False
        common = self.branches.keys() & other.branches.keys()
        return all(self.branches[key] == other.branches[key] for key in common)


def merge(clock, other):
    for stream, count in other.items():
        clock[stream] = max(clock.get(stream, 0), count)


class Walk:
    """Runs thunks with vector clocks: each stream knows what is done before it."""

    def __init__(self, program):
        self.clocks = {"main": {"main": 0}}
        self.finished, self.accesses, self.branches = {}, [], {}
        self.conditionals = 0
        self.sequence(program.root, "main")

    def sequence(self, sequence, stream):
        for thunk in sequence.thunks():
            self.thunk(thunk, stream)

    def thunk(self, thunk, stream):
        clock = self.clocks.setdefault(stream, {stream: 0})
        clock[stream] = clock.get(stream, 0) + 1
        self.accesses += [
            Access(thunk, used, stream, clock, self.branches)
            for used in thunk.slices()
            if used.size
        ]
        if thunk.kind == "async_start":
            self.start(thunk, stream)
        elif thunk.kind == "async_done":
            merge(clock, self.finished.get(thunk.body.number(1), {}))
        elif thunk.kind == "conditional":
            self.conditional(thunk, stream)
        else:
            for _ in range(ITERATIONS if thunk.kind == "while" else 1):
                for below in thunk.lists():
                    self.sequence(below, stream)

    def start(self, thunk, stream):
        named = [(n, thunk.body.number(n)) for n in STREAMS if n in thunk.body]
        target = named[0] if named else (4, 0)
        merge(self.clocks.setdefault(target, {target: 0}), self.clocks[stream])
        for below in thunk.lists():
            self.sequence(below, target)
        self.finished[thunk.body.number(1)] = dict(self.clocks[target])

    def conditional(self, thunk, stream):
        """Branches begin alike; what follows comes after all of them."""
        self.conditionals += 1
        number = self.conditionals
        first = {key: dict(clock) for key, clock in self.clocks.items()}
        after = {key: dict(clock) for key, clock in first.items()}
        for index, below in enumerate(thunk.lists()):
            self.clocks = {key: dict(clock) for key, clock in first.items()}
            self.branches[number] = index
            self.sequence(below, stream)
            for key, clock in self.clocks.items():
                merge(after.setdefault(key, {}), clock)
        self.branches.pop(number, None)
        self.clocks = after

    def races(self):
        by_allocation = {}
        for access in self.accesses:
            by_allocation.setdefault(access.slice.allocation, []).append(access)
        for accesses in by_allocation.values():
            for index, b in enumerate(accesses):
                for a in accesses[:index]:
                    if a.meets(b) and not a.before(b) and not b.before(a):
                        yield a, b


def first_race(program):
    """Two accesses that nothing orders, or None."""
    return next(Walk(program).races(), None)
