"""Trees of thunks: their kinds, what each reads and writes, and what is nested in it.

Field numbers are those of xla/backends/cpu/runtime/thunk.proto and
xla/backends/gpu/runtime/thunk.proto (2026-08-22). The way to a slice is the field
numbers of the messages around it, from the thunk's own message on.
"""

from wire import BYTES, Message

# Slices of CPU thunks are field 2 of a message with their shape, those of GPU thunks
# field 1. "flags" says which field marks what is written of a list of both.
CPU_KINDS = {
    3: ("call", {"nested": [1]}),
    4: ("conditional", {"reads": [(2,)], "nested": [1]}),
    5: ("sort", {"reads": [(5, 2)], "writes": [(5, 2)]}),
    6: (
        "xnn_fusion",
        {
            "reads": [(2, 2, 2), (2, 3, 2), (3, 4, 2), (3, 5, 2), (4, 1, 2)],
            "writes": [(2, 4, 2), (3, 6, 2), (4, 2, 2)],
        },
    ),
    7: ("dot", {"reads": [(2, 2), (3, 2)], "writes": [(4, 2)]}),
    8: ("rng_state", {"reads": [(2,)], "writes": [(2,)]}),
    9: ("top_k", {"reads": [(4,)], "writes": [(5,), (6,)]}),
    10: ("while", {"reads": [(4,)], "nested": [1, 2]}),
    11: ("kernel", {"reads": [(5, 1)], "writes": [(6, 1)]}),
    12: ("copy", {"reads": [(1, 2)], "writes": [(2, 2)]}),
    13: ("fft", {"reads": [(4, 2)], "writes": [(5, 2)]}),
    14: ("infeed", {"writes": [(2, 2)]}),
    15: ("outfeed", {"reads": [(2, 2)]}),
    16: ("custom_call", {"reads": [(4, 1, 2)], "writes": [(4, 2, 2)]}),
    17: ("convolution", {"reads": [(4, 2), (5, 2)], "writes": [(6, 2)]}),
    18: ("collective", {"reads": [(2, 1, 2)], "writes": [(2, 2, 2)]}),
    19: ("partition_id", {"writes": [(1,)]}),
    20: ("replica_id", {"writes": [(1,)]}),
    21: ("ynn_fusion", {"reads": [(3, 2)], "writes": [(4, 2)]}),
    22: ("rng_seed", {"writes": [(1,)]}),
}
COLLECTIVE = {"reads": [(3, 2, 1)], "writes": [(3, 3, 1)]}
COPY = {"reads": [(1, 1, 1)], "writes": [(1, 2, 1)]}
PERMUTE = {"reads": [(2, 2, 1)], "writes": [(2, 3, 1)]}
GPU_KINDS = {
    2: ("sequential", {"nested": [""]}),
    3: ("copy", {"reads": [(1, 1)], "writes": [(2, 1)]}),
    4: ("device_to_host_copy", COPY),
    5: ("host_to_device_copy", COPY),
    6: ("conditional", {"reads": [(1, 1)], "nested": [2]}),
    7: ("while", {"reads": [(1,)], "nested": [2, 3]}),
    8: ("kernel", {"reads": [(1,)], "flags": 2}),
    9: ("gemm", {"reads": [(2,), (3,)], "writes": [(4,), (5,)]}),
    11: ("triangular_solve", {"reads": [(2, 1), (3, 1)], "writes": [(3, 1), (4, 1)]}),
    12: ("replica_id", {"writes": [(1,)]}),
    13: ("device_to_device_copy", COPY),
    14: ("partition_id", {"writes": [(1,)]}),
    15: ("cudnn", {"reads": [(2, 1)], "flags": 4}),
    16: ("host_execute_start", {"reads": [(2, 1)], "writes": [(3, 1)]}),
    17: ("host_execute_done", {"writes": [(2, 1)]}),
    19: ("memzero", {"writes": [(1, 1)]}),
    20: ("select_k", {"reads": [(1,)]}),
    21: ("infeed", {"writes": [(1, 1)]}),
    22: (
        "cublas_lt",
        {
            "reads": [(n, 1) for n in (5, 6, 7, 9, 11, 12, 13, 14, 18)],
            "writes": [(n, 1) for n in (8, 10, 15, 16)],
        },
    ),
    23: ("outfeed", {"reads": [(1, 1)]}),
    24: (
        "norm",
        {
            "reads": [(n,) for n in (2, 3, 5, 8)],
            "writes": [(n,) for n in (4, 6, 7, 9, 10, 11)],
        },
    ),
    25: ("convolution", {"reads": [(2, 1)], "writes": [(3, 1), (4,)]}),
    26: (
        "convolution_reorder",
        {"reads": [(1, 1), (3, 1, 1)], "writes": [(2, 1), (3, 2, 1)]},
    ),
    27: ("fft", {"reads": [(3,)], "writes": [(4,)]}),
    28: ("memset32", {"writes": [(1,)]}),
    30: ("custom_call", {"reads": [(2, 1, 1)], "writes": [(3, 1, 1)]}),
    32: ("host_send", {"reads": [(2,)]}),
    33: ("host_send_done", {}),
    34: ("host_recv", {"writes": [(2,)]}),
    35: ("host_recv_done", {}),
    36: ("custom_kernel", {"reads": [(1, 1)], "flags": 2}),
    38: ("all_gather", COLLECTIVE),
    39: ("all_reduce", COLLECTIVE),
    40: ("reduce_scatter", COLLECTIVE),
    41: ("all_to_all", COLLECTIVE),
    42: ("ragged_all_to_all", {**COLLECTIVE, "written": 1}),
    43: ("collective_permute", PERMUTE),
    44: ("send", {"reads": [(2, 2, 1)]}),
    45: ("recv", {"writes": [(2, 3, 1)]}),
    46: ("collective_broadcast", PERMUTE),
    47: ("collective_group", {"nested": [""], "list": 2}),
    57: ("async_start", {"nested": [3]}),
    58: ("async_done", {}),
    59: ("collective_kernel", {"reads": [(4, 2, 1)], "writes": [(4, 3, 1)]}),
    60: ("dynamic_slice_fusion", {"reads": [(3,)], "writes": [(4,)]}),
    61: ("rng_seed", {"writes": [(1,)]}),
}
SHAPED_SINCE_2026 = (11, (5, 1)), (11, (6, 1))
KERNELS = ("kernel", "custom_kernel")


class Slice:
    """The bytes [offset, offset + size) of an allocation, as a message."""

    def __init__(self, message, written):
        self.message = message
        self.written = written

    offset = property(lambda self: self.message.number(1))
    size = property(lambda self: self.message.number(2))
    allocation = property(lambda self: self.message.number(3))

    @property
    def place(self):
        return self.allocation, self.offset, self.size

    @place.setter
    def place(self, place):
        self.message.set_number(3, place[0])
        self.message.set_number(1, place[1])
        self.message.set_number(2, place[2])

    def __str__(self):
        end = self.offset + self.size
        return f"allocation {self.allocation} bytes {self.offset}..{end}"

    def meets(self, other):
        return (
            self.allocation == other.allocation
            and self.offset < other.offset + other.size
            and other.offset < self.offset + self.size
        )


class Sequence:
    """Thunks that run in their order; a field of a message."""

    def __init__(self, message, number, platform):
        self.message, self.number, self.platform = message, number, platform

    def thunks(self):
        return [Thunk(m, self.platform) for m in self.message.messages(self.number)]

    def put(self, thunks):
        self.message.replace(self.number, [thunk.message for thunk in thunks])


class Thunk:
    """One thunk; kind is None if this table does not have it."""

    def __init__(self, message, platform):
        self.message, self.platform = message, platform
        self.number, self.kind, self.rows, self.body = 0, None, {}, None
        kinds = CPU_KINDS if platform == "cpu" else GPU_KINDS
        for number, (kind, rows) in kinds.items():
            if number in message:
                self.number, self.kind, self.rows = number, kind, rows
                self.body = message.message(number)

    @property
    def name(self):
        """The instruction that it stands for."""
        info = self.message.message(2 if self.platform == "cpu" else 1)
        return info.text(1) if info else ""

    def copy(self):
        return Thunk(Message(self.message.encode()), self.platform)

    def lists(self):
        """The sequences nested in it."""
        below = []
        for number in self.rows.get("nested", []):
            holders = self.body.messages(number) if number else [self.body]
            below += [Sequence(m, self.rows.get("list", 1), self.platform) for m in holders]
        return below

    def messages_at(self, way):
        """The messages at the end of a way through fields."""
        found = [self.body]
        for step, number in enumerate(way):
            found = [below for m in found for below in m.messages(number)]
            bare = (self.number, way) in SHAPED_SINCE_2026 and step == 0
            if self.platform == "cpu" and bare and not any(map(is_shaped, found)):
                return found
        return found

    def slices(self):
        """What it reads and writes itself, what is nested left out."""
        if not self.body:
            return []
        flags = self.body.numbers(self.rows.get("flags", 0))
        found = []
        for way in self.rows.get("reads", []):
            for index, message in enumerate(self.messages_at(way)):
                found.append(Slice(message, index < len(flags) and bool(flags[index])))
                if self.kind == "select_k":
                    found[-1].written = index > 0
        for way in self.rows.get("writes", []):
            messages = self.messages_at(way)
            if "written" in self.rows:  # Of this list only one is the result.
                messages = messages[self.rows["written"] :][:1]
            found += [Slice(message, True) for message in messages]
        return found

    def all_slices(self):
        """Also what is nested touches."""
        below = [t for sequence in self.lists() for t in sequence.thunks()]
        return self.slices() + [s for thunk in below for s in thunk.all_slices()]

    def kernel_name(self):
        """The name of its kernel; empty if it launches none."""
        if self.kind == "kernel":
            return self.body.text(self.name_field())
        spec = self.body.message(3) if self.kind == "custom_kernel" else None
        return spec.text(1) if spec else ""

    def name_field(self):
        return 1 if self.platform == "cpu" else 3

    def rename_kernel(self, name):
        """Also in what loads the kernel, which is field 2 of a custom one."""
        if self.kind == "kernel":
            self.body.replace(self.name_field(), [name.encode()])
            return
        spec = self.body.message(3)
        spec.replace(1, [name.encode()])
        spec.message(2).replace(4, [name.encode()])

    def take_kernel(self, other):
        """Launches the kernel of another thunk; a custom kernel is in the thunk."""
        if self.kind == "kernel":
            self.rename_kernel(other.kernel_name())
        else:
            self.body.replace(3, [other.body.message(3).encode()])


def is_shaped(message):
    """True if the first field is a message: kernels' slices have shapes since 2026."""
    return bool(message.fields) and message.fields[0][1] == BYTES


class Program:
    """The thunks of an executable, and what its module and assignment say."""

    def __init__(self, executable, sequence=None):
        self.platform = executable.platform
        self.root = Sequence(sequence or executable.thunks(), 1, self.platform)
        self.module, self.assignment = executable.parts()
        self.opcodes = {
            instruction.text(1): instruction.text(2)
            for computation in self.module.messages(3)
            for instruction in computation.messages(2)
        }

    def sequences(self):
        """All sequences, the outermost first."""
        found, waiting = [], [self.root]
        while waiting:
            sequence = waiting.pop(0)
            found.append(sequence)
            for thunk in sequence.thunks():
                waiting += thunk.lists()
        return found

    def thunks(self):
        return [thunk for sequence in self.sequences() for thunk in sequence.thunks()]

    def constants(self):
        """(allocation, size) of each constant."""
        allocations = self.assignment.messages(3)
        return [(a.number(1), a.number(2)) for a in allocations if a.number(12)]

    def size_of(self, allocation):
        for row in self.assignment.messages(3):
            if row.number(1) == allocation:
                return row.number(2)
        return 0

    def is_whole_call(self, thunk):
        """True for a kernel of a whole call, whose lists of slices are sets."""
        return thunk.kind == "kernel" and self.opcodes.get(thunk.name) == "call"
