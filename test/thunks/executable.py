"""Executables that hold their thunks: what is in them, and the file with other thunks.

A file is what runtime_executable().serialize() returns. Edited ones are written in the
form of the original.
"""

from records import SIGNATURE, SplitProto
from wire import Malformed, Message, read_varint

KERNELS = 2
GPU_THUNKS, CPU_THUNKS = 13, 6


def devices_of(config):
    """How many devices run a module, by HloModuleProtoWithConfig."""
    settings = config.message(2) or Message()
    return max(settings.number(4), 1) * max(settings.number(5), 1)


class CpuFile:
    """A CompilationResultProto, alone or in a few messages, after a header."""

    platform = "cpu"
    devices = 1

    def __init__(self, data):
        starts = [0]
        size, at = read_varint(data, 0)
        if size <= len(data) - at:
            starts.append(at + size)
        for start in starts:
            self.prefix = data[:start]
            try:
                self.outer = Message(data[start:])
                self.result = self.find(self.outer, 4)
            except Malformed:
                continue
            if self.result:
                return
        raise Malformed("no executable with thunks")

    def find(self, message, depth):
        """The result below a message; every message around it is its field 1."""
        if self.is_result(message):
            return message
        below = message.messages(1) if depth else None
        return self.find(below[0], depth - 1) if below else None

    @staticmethod
    def is_result(message):
        """True if a module with computations and an assignment are in it."""
        kernels = message.number(5) == KERNELS or CPU_THUNKS in message
        if not kernels or 2 not in message:
            return False
        try:
            module = Message(Message(message.bytes(1)).bytes(1))
            named = [below.text(1) for below in module.messages(3)]
            return bool(named and all(named) and Message(message.bytes(2)).messages(3))
        except Malformed:
            return False

    def parts(self):
        """(module, assignment)"""
        config = Message(self.result.bytes(1))
        self.devices = devices_of(config)
        return Message(config.bytes(1)), Message(self.result.bytes(2))

    def thunks(self):
        """The thunks as a sequence of their own."""
        return Message(self.result.bytes(CPU_THUNKS))

    def with_thunks(self, sequence):
        before = self.result.bytes(CPU_THUNKS)
        self.result.replace(CPU_THUNKS, [sequence.encode()])
        file = self.prefix + self.outer.encode()
        self.result.replace(CPU_THUNKS, [before])
        return file


class GpuFile:
    """A GpuExecutableProto in records, which are in records or in a field."""

    platform = "gpu"

    def __init__(self, data):
        begin = data.index(SIGNATURE)
        self.outer = SplitProto(data[begin:])
        self.inner, self.prefix = self.outer, data[:begin]
        self.message = None
        if self.outer.type == "xla.ExecutableAndOptionsProto":
            self.place = self.outer.paths.index([1])
            self.inner = SplitProto(self.outer.records[self.place])
        else:
            self.read_plain(data)
        if self.inner.type != "xla.gpu.GpuExecutableProto":
            raise Malformed("no executable of a GPU")
        self.merged = Message(
            b"".join(self.inner.records[i] for i in self.inner.merged())
        )

    def read_plain(self, data):
        """The records are the first field of a message after a header."""
        size, at = read_varint(data, 0)
        self.prefix = data[: at + size]
        self.message = Message(data[at + size :])

    def parts(self):
        """(module, assignment)"""
        config = Message(self.merged.bytes(1))
        return Message(config.bytes(1)), Message(self.merged.bytes(2))

    def thunks(self):
        """The thunks as a sequence of their own."""
        sequence = Message()
        for thunk in self.merged.messages(GPU_THUNKS):
            sequence.append(1, thunk.encode())
        return sequence

    def with_thunks(self, sequence):
        """The file with other thunks."""
        new = Message(self.merged.encode())
        new.replace(GPU_THUNKS, [thunk.encode() for thunk in sequence.messages(1)])
        return self.with_message(new)

    def with_message(self, message):
        """All that is merged goes to the first record that is."""
        first, *others = self.inner.merged()
        before = list(self.inner.records)
        for index in others:
            self.inner.records[index] = b""
        self.inner.records[first] = message.encode()
        inner = self.inner.encode()
        self.inner.records = before
        if self.message:
            self.message.replace(1, [inner])
            return self.prefix + self.message.encode()
        records = list(self.outer.records)
        self.outer.records = [*records[: self.place], inner, *records[self.place + 1 :]]
        file = self.prefix + self.outer.encode()
        self.outer.records = records
        return file


def read_executable(path):
    """The executable in a file; Malformed if it holds no thunks."""
    with open(path, "rb") as f:
        data = f.read()
    file = GpuFile(data) if SIGNATURE in data else CpuFile(data)
    if not file.thunks().messages(1):
        raise Malformed("no thunks")
    return file
