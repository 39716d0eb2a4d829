"""What a dump and its module say together, as far as planting faults needs it."""

import collections
import re

from hlo import index_of, is_array, subshapes
from ranges import Ranges

# what: said to people; files: other texts by tail; names: sets of names, of which all
# of one must be in one error.
Edit = collections.namedtuple("Edit", "what files names", defaults=((),))
ASYNC = re.compile(r".*-(?:start|update|done)$")
OWN_ASYNC = re.compile(r"(?:copy|send|recv|all-reduce|all-gather|collective-permute)-")


class Facts:
    def __init__(self, dump, module, is_tpu):
        self.dump, self.module, self.is_tpu = dump, module, is_tpu
        self.time = {name: i for i, name in enumerate(dump.sequence)}
        self.at = {}  # (instruction, index) -> value
        self.users = collections.defaultdict(
            list
        )  # instruction -> (value, operand, index)
        self.defined = collections.defaultdict(list)  # instruction -> its values
        for v in dump.values.values():
            self.defined[v.name].append(v)
            for name, index in v.positions:
                self.at[name, index_of(index)] = v
            for name, operand, index in v.uses:
                self.users[name].append((v, int(operand), index_of(index)))
        self.known_shapes = {}
        self.parameters = {x.name for x in module.entry.parameters().values()}
        self.donated = {(number, index) for _, number, index, *_ in module.donations()}
        opcodes = {x.opcode for x in module.by_name.values()}
        self.has_async = any(ASYNC.match(o) and not OWN_ASYNC.match(o) for o in opcodes)
        self.ranges = Ranges(self)

    def shapes(self, name):
        """The shapes of an instruction of the module, by index."""
        if name not in self.known_shapes:
            x = self.module.by_name.get(name)
            self.known_shapes[name] = subshapes(x.shape) if x else {}
        return self.known_shapes[name]

    def is_sequenced(self, name):
        return self.dump.has_sequence and name in self.time

    def is_parameter(self, v):
        return v.name in self.parameters

    def is_donated(self, v):
        return (self.module.by_name[v.name].parameter, v.key[1]) in self.donated

    def is_output(self, v):
        return any(name == self.module.entry.root.name for name, _ in v.positions)

    # Places.

    def is_judged(self, v):
        """Whether its range alone decides about its place: not in alternate memory of
        TPU, nor in memory that other colors reuse."""
        a = self.dump.allocations[v.allocation]
        return not (a.tail or self.is_tpu and (v.color or "0") != "0")

    def is_movable(self, v):
        """An array in a temp that has a range."""
        is_temp = self.dump.allocations[v.allocation].is_temp
        has_range = self.dump.range_of(v) is not None
        return is_temp and has_range and v.size > 0 and is_array(v.shape)

    def mates(self, v):
        """The other values at exactly its place."""
        members = self.dump.members(v.allocation)
        return [w for w in members if w is not v and w.place() == v.place()]

    def overlapped(self, v, allocation, offset):
        """The other values that have bytes in common with v, were it there."""
        for w in self.dump.members(allocation):
            if w is not v and w.size and v.size:
                if w.offset < offset + v.size and offset < w.offset + w.size:
                    yield w

    def is_free(self, v, allocation, offset, ignored=()):
        """Whether no other value of that place is live when v is."""
        start, end = self.dump.range_of(v)
        for w in self.overlapped(v, allocation, offset):
            other = self.dump.range_of(w)
            if w not in ignored:
                if not other or not is_array(w.shape):
                    return False
                if max(other[0], start) <= min(other[1], end):
                    return False
        return True

    def places_in(self, v, allocation):
        """Offsets where arrays of that allocation begin, and where v fits too."""
        a = self.dump.allocations[allocation]
        members = [
            w for w in self.dump.members(allocation) if w.size and is_array(w.shape)
        ]
        return sorted({w.offset for w in members if w.offset + v.size <= a.size})

    def keeps_top(self, v, allocation, offset):
        """Whether the allocation that v leaves stays as large as its values say."""
        a = self.dump.allocations[v.allocation]
        rest = a.top(self.dump.members(v.allocation), v)
        if v.allocation == allocation:
            rest = max(rest, offset + v.size)
        return rest == a.size
