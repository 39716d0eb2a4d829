"""Edits each field of executables, by the tables of the tool itself.

  sweep.py [--each N] [--all] EXECUTABLE..

Fields.def and ThunkFields.def say which messages there are, and what each field is for. One that must be what
another one says is cleared, changed, exchanged with its neighbor, or there twice: that is an
error, or something is not shown. A field that nobody knows is added to each message: then
something is not shown. Prints the edits that left the last line as it was; exit status 1 if
there are some. --all also edits fields of other classes, and only counts what is silent.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

from executable import CpuFile, GpuFile
from records import SIGNATURE
from wire import BYTES, VARINT, Message, read_varints, varint

TABLES = pathlib.Path(__file__).parents[2] / "lib/Proto"
SCALARS = {"Number", "Numbers", "Fixed32", "Fixed32s", "Fixed64", "Fixed64s", "Text", "Opaque"}
SLICES = {
    "Bare": "AllocationSlice",
    "Shaped": "ShapedSlice",
    "Nullable": "NullableShapedSlice",
    "ShapeFirst": "CpuShapedSlice",
}
VALUES = {
    "InvariantArguments": "Numbers",
    "WrittenFlags": "Numbers",
    "EmbeddedAllocation": "SliceAllocation",
}
SEQUENCES = {"Cpu": "CpuThunkSequence", "Gpu": "GpuThunkSequence", "Embedded": "EmbeddedSequence"}
ROOTS = {"cpu": "CpuCompilationResult", "gpu": "GpuExecutable"}
UNKNOWN = 536870911  # the largest field number

# What no rule can see, and why.
SILENT = {
    ("CallAttributes of a thunk", 1, "doubled"): "the same entry of a map",
    ("CallAttributes of a thunk", 1, "exchanged"): "entries of a map",
    ("CollectiveConfig", 2, "cleared"): "no groups are one group of all",
    ("CpuKernel", 3, "changed"): "another argument that is read only",
    ("CpuKernel", 3, "cleared"): "fewer promises",
    ("CpuKernel", 4, "cleared"): "fewer promises",
    ("CpuKernel", 5, "exchanged"): "a kernel for a whole call: whole-call-list is assumed",
    ("CpuKernel", 6, "exchanged"): "the same",
    ("CpuOperands", 3, "changed"): "typed handlers get no tuple",
    ("CpuOperands", 3, "cleared"): "the same",
    ("CpuPermute", 1, "exchanged"): "a set of pairs",
    ("CpuOptional", 2, "changed"): "any number but 0 is true",
    ("CpuOptional", 2, "cleared"): "fewer promises",
    ("GpuAsyncStart", 4, "changed"): "another stream, without a conflict",
    ("GpuAsyncStart", 4, "cleared"): "the same",
    ("GpuAsyncStart", 5, "changed"): "the same",
    ("GpuAsyncStart", 5, "cleared"): "the same",
    ("GpuAsyncStart", 6, "changed"): "the same",
    ("GpuAsyncStart", 6, "cleared"): "the same",
    ("GpuCollectiveKernel", 10, "changed"): "code",
    ("GpuCollectiveKernel", 10, "cleared"): "code",
    ("GpuCollectiveKernel", 12, "cleared"): "the usual arguments",
    ("GpuCustomKernel", 2, "changed"): "any number but 0 is true",
    ("DynamicSliceConfig of a thunk", 5, "cleared"): "older fields have the same numbers",
    ("GpuExecutable", 12, "exchanged"): "each constant names its allocation",
    ("GpuHostExecuteDone", 2, "cleared"): "older releases do not repeat them",
    ("GpuKernelCode", 1, "changed"): "code",
    ("GpuKernelCode", 1, "cleared"): "code",
    ("GpuKernelLoader", 2, "cleared"): "code",
    ("GpuKernelLoader", 5, "cleared"): "the usual packing",
    ("GpuKernelSpec", 6, "changed"): "known to the kernel's code alone",
    ("GpuKernelSpec", 6, "cleared"): "the same",
    ("GpuPermute", 4, "exchanged"): "a set of pairs",
    ("GpuRecv", 4, "exchanged"): "the same",
    ("GpuSend", 4, "exchanged"): "a set of pairs",
    ("ReplicaGroup of a thunk", 1, "cleared"): "no groups are one group of all",
    ("Triple of a thunk", 1, "changed"): "blocks that find nothing to do",
    ("Layout of a thunk", 8, "changed"): "a kernel gets addresses",
    ("Layout of a thunk", 8, "cleared"): "the same",
    ("Layout of a thunk", 16, "changed"): "0 is what it is without",
    ("Layout of a thunk", 16, "cleared"): "the same",
    ("Shape of a thunk", 2, "changed"): "a kernel gets addresses: a type of as many bytes",
    ("Shape of a thunk", 3, "changed"): "the same",
    ("Shape of a thunk", 5, "cleared"): "the same",
    ("Shape of a thunk", 6, "cleared"): "no dimension is dynamic, unless it says so",
    ("BufferAssignment", 2, "cleared"): "the only row: a file without any is not asked for them",
    ("BufferAssignment", 2, "exchanged"): "rows in any order",
    ("CollectiveDeviceList", 1, "cleared"): "no groups are one group of all",
    ("CpuCompilationResult", 7, "doubled"): "a set of symbols",
    ("CpuCompilationResult", 7, "exchanged"): "the same",
    ("CpuKernel", 3, "doubled"): "a set of arguments",
    ("CpuResourceUsers", 1, "doubled"): "a set of thunks",
    ("CpuThunkSequence", 2, "doubled"): "a set of resources",
    ("GpuCopy", 1, "doubled"): "the same slice",
    ("GpuCopy", 2, "doubled"): "the same slice",
    ("Shape of a thunk", 6, "doubled"): "no dimension is dynamic, unless it says so",
    ("HloModule", 18, "cleared"): "what is donated, and no result took",
    ("Mesh", 1, "cleared"): "an axis of one device",
    ("MeshAxis", 1, "changed"): "names of axes",
    ("MeshAxis", 1, "cleared"): "the same",
}


def read_table():
    """{message: {number: (class, type)}}"""
    table = {}
    text = (TABLES / "Fields.def").read_text()
    for name, fields in re.findall(r'HLOBUF_MESSAGE\((\w+), "[^"]+",((?:[^()]|\([^()]*\))*)\)', text):
        rows = re.findall(r"(\w+)\((\d+)(?:, (\w+))?(?:, Many)?\)", fields)
        table[name] = {int(n): (c, t or "Opaque") for c, n, t in rows}
    table["CpuThunkSequence"][1] = ("compared", "CpuThunk")
    table["GpuExecutable"][13] = ("compared", "GpuThunk")
    read_thunk_table(table)
    return table


def stated_again(table, name):
    """The message as thunks have it: what is a source elsewhere is compared there."""
    if name not in table or name.startswith(("Cpu", "Gpu")) and "Slice" not in name:
        return name
    again = f"{name} of a thunk"
    if again not in table:
        rows = table[again] = {}
        for number, (class_, type_) in table[name].items():
            class_ = "compared" if class_ == "source" else class_
            rows[number] = (class_, stated_again(table, type_))
    return again


def read_thunk_table(table):
    """Adds the messages of thunks: what they are read for is compared."""
    source = (TABLES / "AttributeValues.cpp").read_text()
    forms = {}
    body = source[source.index("FieldType hlobuf::fieldOf") :]
    for cases, message in re.findall(r"((?:  case AttributeForm::\w+:\s+)+)return FieldType::(\w+)", body):
        forms.update(dict.fromkeys(re.findall(r"Form::(\w+)", cases), message))
    text = (TABLES / "ThunkFields.def").read_text()
    pattern = r"HLOBUF_THUNK_MESSAGE\((\w+),((?:[^()]|\([^()]*\))*)\)"
    for name, fields in re.findall(pattern, text):
        side, rows = name[:3], {}
        for kind, arguments in re.findall(r"(\w+)\(([^()]*)\)", fields):
            number, *rest = (a.strip() for a in arguments.split(","))
            last = rest[-1] if rest else ""
            if kind in ("irrelevant", "retired", "assumed", "unshown"):
                for other in range(int(number), int(last or number) + 1):
                    rows[other] = (kind, "Opaque")
                continue
            type_ = {
                "impl": last,
                "part": last,
                "slice": SLICES.get(rest[0] if rest else ""),
                "sequence": SEQUENCES.get(last if last == "Embedded" else side),
                "list": "GpuThunk",
                "attribute": forms.get(last, "Number"),
                "value": VALUES.get(last, "Text"),
            }[kind]
            if int(number) not in rows:
                rows[int(number)] = ("compared", stated_again(table, type_))
        table[name] = rows
    table["GpuThunkSequence"] = {1: ("compared", "GpuThunk")}
    # What is embedded is named for profiles only.
    table["EmbeddedSequence"] = {1: ("compared", "EmbeddedThunk")}
    table["EmbeddedThunk"] = {**table["GpuThunk"], 1: ("irrelevant", "Opaque")}


class File:
    """An executable as one message."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.file = GpuFile(data) if SIGNATURE in data else CpuFile(data)
        gpu = self.file.platform == "gpu"
        self.root = ROOTS[self.file.platform]
        self.message = (self.file.merged if gpu else self.file.result).encode()

    def encode(self, message):
        """The file, with another message in it."""
        if self.file.platform == "gpu":
            return self.file.with_message(message)
        self.file.result.fields = message.fields
        return self.file.prefix + self.file.outer.encode()


def occurrences(table, name, message, found, place=()):
    """Adds the places of all fields of a message: (message, number) -> ways to them."""
    for at, (number, wire, value) in enumerate(message.fields):
        row = table[name].get(number)
        if not row:
            continue
        found[name, number].append((*place, at))
        if row[1] in table and wire == BYTES:
            inner = Message(value) if not isinstance(value, Message) else value
            message.fields[at][2] = inner
            # A frame has no name.
            if row[1] == "GpuInfo" and 1 not in inner:
                found[name, number].pop()
            found[row[1], None].append((*place, at))
            occurrences(table, row[1], inner, found, (*place, at))


def edited(data, way, edit):
    """The message with what edit() makes of the one at the end of the way."""
    message = Message(data)
    if way:
        field = message.fields[way[0]]
        field[2] = edited(field[2], way[1:], edit)
    else:
        edit(message)
    return message.encode()


def inside(data, way):
    for at in way:
        data = Message(data).fields[at][2]
    return Message(data)


def encoded(value):
    return value.encode() if isinstance(value, Message) else value


def edits(message, at, type_):
    """(name, function) of each way to edit the field at that place."""
    number, wire, value = message.fields[at]

    def clear():
        del message.fields[at]

    def change():
        field = message.fields[at]
        if wire == VARINT:
            field[2] = 0 if value == 1 else value + 1
        elif type_ in ("Numbers",):
            numbers = read_varints(value)
            field[2] = b"".join(map(varint, [numbers[0] + 1, *numbers[1:]]))
        elif wire == BYTES:
            field[2] = value + b"x"
        else:
            field[2] = value[:-1] + bytes([value[-1] ^ 1])

    def exchange():
        other = next(
            i
            for i in range(at + 1, len(message.fields))
            if message.fields[i][0] == number
            and encoded(message.fields[i][2]) != encoded(value)
        )
        fields = message.fields
        fields[at], fields[other] = fields[other], fields[at]

    size = len(encoded(value)) if wire == BYTES else 1
    if size:
        yield "cleared", clear
    if type_ in SCALARS and type_ != "Opaque" and size:
        yield "changed", change
    if any(other == number and encoded(v) != encoded(value) for other, _, v in message.fields[at:]):
        yield "exchanged", exchange
    if size:
        yield "doubled", lambda: message.fields.append(list(message.fields[at]))


def verdict(tool, data, folder):
    path = pathlib.Path(folder) / "edited"
    path.write_bytes(data)
    done = subprocess.run([tool, "--no-config", path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip().rpartition("\n")[2]


def spread(ways, count):
    """At most that many, from the first to the last."""
    step = max(1, len(ways) // count)
    return ways[::step][:count]


class Sweep:
    def __init__(self, options):
        self.options, self.table = options, read_table()
        self.counts, self.silent = collections.Counter(), []

    def run(self, path, folder):
        file = File(path)
        found = collections.defaultdict(list)
        occurrences(self.table, file.root, Message(file.message), found)
        found[file.root, None].append(())
        before = verdict(self.options.tool, file.encode(Message(file.message)), folder)
        if before[0]:
            sys.exit(f"{path}: {before[1]}")
        for (name, number), ways in sorted(found.items(), key=str):
            kind = self.table[name][number] if number else ("unknown", "Opaque")
            if kind[0] not in ("unknown", "compared", "printed") and not self.options.all:
                continue
            for way in spread(ways, self.options.each):
                self.edit(file, before, name, number, kind, way, folder)

    def edit(self, file, before, name, number, kind, way, folder):
        if number:
            *way, at = way
            changes = dict(edits(inside(file.message, way), at, kind[1]))
        else:
            changes = ["added"]

        def change(message):
            if number:
                dict(edits(message, at, kind[1]))[how]()
            else:
                message.append(UNKNOWN, 1)

        for how in changes:
            data = edited(file.message, way, change)
            after = verdict(self.options.tool, file.encode(Message(data)), folder)
            self.counts[kind[0]] += 1
            if after != before:
                continue
            self.counts[kind[0], "silent"] += 1
            if kind[0] in ("unknown", "compared", "printed") and (name, number, how) not in SILENT:
                self.silent.append(f"{name}.{number or 'unknown'} {how}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--each", type=int, default=2, help="edits of a field of a message")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("executables", nargs="+")
    sweep = Sweep(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        for path in sweep.options.executables:
            sweep.run(path, folder)
    for line, count in sorted(collections.Counter(sweep.silent).items()):
        print(f"silent: {line} ({count})")
    for kind in sorted(k for k in sweep.counts if isinstance(k, str)):
        print(f"{kind}: {sweep.counts[kind]} edits, {sweep.counts[kind, 'silent']} silent")
    sys.exit(bool(sweep.silent))


main()
