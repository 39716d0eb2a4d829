"""protos.py COMMAND ...: protos without their schema, for tests.

    set PATH VALUE FILE      FILE with the first number at PATH, `3.3.9.1`, replaced
    around FILE...           the files one after the other, inside of what nobody knows
    records KIND PACKED      a file of records of that kind, `r` or `t`, packed that way, `b`
    nothing                  a program with one buffer, number 0, without bytes
    late                     a program whose output is the result of an async-update
    literals                 a program of constants of many types
    unassigned NAME          a module with a schedule and without an assignment
    parts FILE [HEADER]      the proto in FILE in parts, as libtpu 0.0.42 stores it
    record FILE              the first file of records in FILE, alone in a message
    pickle FILE              a pickle of FILE and of bytes that get no frame
    unpacked FILE            FILE without zlib
    cut COUNT FILE...        verifies COUNT beginnings of each FILE, and those that end
                             next to where an outermost field, part or chunk does
    flip FILE...             verifies each file with single bytes changed
"""

import itertools
import json
import pickle
import random
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "thunks"))
from wire import Malformed, read_fields, read_varint, varint

SIGNATURE = b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"


def join(parts):
    out = b""
    for number, kind, value in parts:
        out += varint(number << 3 | kind)
        out += varint(value) if kind == 0 else (varint(len(value)) if kind == 2 else b"") + value
    return out


def replace(data, path, value):
    """None where there is no such field."""
    parts = read_fields(data)
    for i, (number, kind, old) in enumerate(parts):
        if number != path[0]:
            continue
        if len(path) > 1:
            new = replace(old, path[1:], value)
        else:  # packed numbers become one
            new = value if kind == 0 else varint(value)
        if new is not None:
            parts[i] = (number, kind, new)
            return join(parts)
    return None


def status(path):
    command = ["hlobuf-verify", "-q", "--no-config", str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def chunk(kind, data, count=1, size=100):
    head = len(data).to_bytes(8, "little") + bytes(8) + kind + count.to_bytes(7, "little")
    return bytes(8) + head + size.to_bytes(8, "little") + data


def records(kind, packed):
    """A riegeli file with one chunk that cannot be unpacked."""
    begin = SIGNATURE + bytes(16)
    data = packed.encode() + b"\x02\x01\x01data"
    return begin + chunk(b"s", b"", 0, 0) + chunk(kind.encode(), data)


def message(*parts):
    """Text as its bytes, a number as a varint."""
    kinds = ((n, 0 if isinstance(v, int) else 2, v) for n, v in parts)
    return join((n, k, v.encode() if isinstance(v, str) else v) for n, k, v in kinds)


def nothing_module(name):
    shape = message((2, 13))
    tuple_ = message((1, "tuple"), (2, "tuple"), (3, shape), (35, 1))
    result = message((2, shape))
    computation = message((1, "main"), (2, tuple_), (4, result), (5, 2), (6, 1))
    schedule = message((1, message((1, 2), (2, message((1, b"\x01"))))))
    entry = message((3, computation), (4, result), (6, 2), (7, schedule))
    return message((1, name), (2, "main")) + entry


def nothing():
    module = nothing_module("jit_nothing")
    buffer = message((3, message((4, 1))))
    allocation = message((7, 1), (9, b""), (11, 1))
    assignment = message((1, buffer), (3, allocation))
    return message((1, module), (3, assignment))


def late():
    """The done of a chain whose start has no operands and no result yet."""
    number, empty, fill = message((2, 4)), message((2, 13)), message((1, "f"), (2, "custom-call"))
    result = message((2, number))
    body = message((1, "body"), (2, fill + message((3, number), (35, 1))), (4, result), (5, 1), (6, 1))
    state = [message((2, 13), *((4, x) for x in (empty, part, empty))) for part in (empty, number)]
    start = message((1, "s"), (2, "async-start"), (3, state[0]), (35, 2), (38, 1))
    update = message((1, "u"), (2, "async-update"), (3, state[1]), (35, 3), (36, 2), (38, 1))
    done = message((1, "d"), (2, "async-done"), (3, number), (35, 4), (36, 3), (38, 1))
    steps = message((1, "main"), (2, start), (2, update), (2, done), (4, result), (5, 2), (6, 4))
    module = message((1, "jit_late"), (2, "main"), (3, body), (3, steps), (6, 2))
    places = [((4, 1),), ((4, 2), (3, 1))]
    buffers = ((1, message((1, i), (3, message(*place)))) for i, place in enumerate(places))
    allocations = [
        message((1, 0), (2, 4), (7, 1), (9, message((1, 0), (3, 4)))),
        message((1, 1), (2, 4), (9, message((1, 1), (3, 0)))),
    ]
    assignment = message(*buffers, *((3, allocation) for allocation in allocations))
    return message((1, module), (3, assignment))


# The type, its number, the field of its literals, and what that holds; as lists, too.
LITERALS = [
    ("bf16", 16, 13, b"\x20\x3e", 0),
    ("f16", 10, 11, b"\x00\xc0", 0),
    ("s16", 3, 17, b"\xfe\xff", 0),
    ("s8", 2, 15, b"\xff", 0),
    ("s32", 4, 4, b"\x07\x00", 2),
    ("f32", 11, 8, b"\x00\x00\x00\x3f\x00\x00\x80\x3f", 2),
    ("u16", 7, 16, b"\x01\x00\x02\x00\x03", 3),
    ("s32", 4, 4, b"\x07" * 11, 11),
    ("c64", 15, 12, b"\x00\x00\x00\x3f\x00\x00\xc0\x7f", 0),
    ("c128", 18, 18, b"\0" * 6 + b"\xf0\x3f" + b"\0" * 24, 2),
    ("c64", 15, 12, b"\x00\x00\x00\x3f", 0),
]


def literals():
    """Numbers 7 and 11 are damaged, number 8 is long."""
    lines, buffers, values = [], [], []
    for i, (_, kind, field, content, size) in enumerate(LITERALS, 1):
        sizes = ((3, varint(size)),) if size else ()
        shape = message((2, kind), *sizes, (5, message((1, b"\0") if size else (4, 0))))
        literal = message((1, shape), (field, content))
        lines.append((2, message((1, f"c.{i}"), (2, "constant"), (3, shape), (8, literal), (35, i))))
        buffers.append((1, message((1, i), (2, 64), (3, message((4, i))))))
        values.append((9, message((1, i), (3, 64))))
    result = message((2, 16))
    computation = message((1, "main"), *lines, (4, result), (5, 2), (6, 1))
    order = message((1, bytes(range(1, len(LITERALS) + 1))))
    schedule = message((1, message((1, 2), (2, order))))
    module = message((1, "jit_l"), (2, "main"), (3, computation), (4, result), (6, 2), (7, schedule))
    assignment = message(*buffers, (3, message((2, 64), (7, 1), *values)))
    return message((1, module), (3, assignment))


def delimited(data):
    return varint(len(data)) + data


def parts(file, header=None):
    """Program, HLO, two that are empty, the module before optimization, options."""
    proto = Path(file).read_bytes()
    module = message((1, read_fields(proto)[0][2]), (2, b"\x1a\x00"))
    program = message((2, 1), (3, b"\x81" * 32), (8, b"\xff" * 600))
    hlo = message((1, message((1, "barrier"))), (6, proto), (9, 1))
    every = [program, hlo, b"", b"", module, message((1, b""), (4, b"\x1a\x00"), (9, "libtpu"))]
    head = [message((1, 3), (2, header))] if header else []
    return b"".join(map(delimited, head + every))


def field_ends(data):
    """Where the outermost fields end, as far as there are some."""
    at = 0
    while at < len(data):
        try:
            key, at = read_varint(data, at)
            size, at = read_varint(data, at)
        except Malformed:
            return
        at += size if key & 7 == 2 else 0
        yield at


def part_ends(data):
    at = 0
    while at < len(data):
        try:
            size, at = read_varint(data, at)
        except Malformed:
            return
        at += size
        yield at


def chunk_ends(data):
    """Of chunks that end in the first block."""
    at = data.find(SIGNATURE)
    block, at = at + (1 << 16), at + 24
    while 23 < at < min(block, len(data)):
        size, count = (int.from_bytes(data[at + x : at + x + 8], "little") for x in (8, 24))
        at += 40 + max(size, count >> 8)
        yield at


def places(data, count):
    found = {len(data) * i // count for i in range(count)}
    header = next(part_ends(data), 0)
    after_header = (header + at for at in field_ends(data[header:]))
    for walk in field_ends(data), after_header, part_ends(data), chunk_ends(data):
        # In a file of another kind, such a walk can find an end at each byte.
        for end in itertools.islice(walk, 40):
            found |= {end - 1, end, end + 1}
    # The first byte of a proto is an empty line.
    return sorted(at for at in found if 1 < at < len(data))


def cut(data, count):
    """Verifies beginnings of a file, many at once."""
    wrong = []
    ends = places(data, count)
    with tempfile.TemporaryDirectory() as folder:
        for at in ends:
            (Path(folder) / f"{at}.bin").write_bytes(data[:at])
        command = ["hlobuf-verify", "--no-config", "--format=json"]
        command += [f"{at}.bin" for at in ends]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        for at in ends:
            mine = [result for result in results if result["dump"].startswith(f"{at}.bin")]
            texts = [result.get("input_error", result["status"]) for result in mine]
            if len(texts) != 1 or "cut off" not in texts[0]:
                wrong.append(f"{at} ({'; '.join(texts)})")
    if wrong or done.returncode != 2:
        return f"status {done.returncode}, not cut off at {len(wrong)}: {', '.join(wrong[:3])}"
    return f"all {len(ends)} unreadable"


def main():
    command, *rest = sys.argv[1:]
    scratch = Path(tempfile.mkdtemp()) / "x.hlo.pb"
    if command == "set":
        path, value, file = rest
        new = replace(Path(file).read_bytes(), [int(n) for n in path.split(".")], int(value))
        sys.stdout.buffer.write(new)
    elif command == "around":
        texts = b"\xff\xff\x00between".join(Path(file).read_bytes() for file in rest)
        sys.stdout.buffer.write(b"\x07\xffpjrt\x00" + texts + b"\xff\x00")
    elif command == "nothing":
        sys.stdout.buffer.write(nothing())
    elif command == "late":
        sys.stdout.buffer.write(late())
    elif command == "literals":
        sys.stdout.buffer.write(literals())
    elif command == "unassigned":
        sys.stdout.buffer.write(message((1, nothing_module(*rest))))
    elif command == "records":
        sys.stdout.buffer.write(records(*rest))
    elif command == "parts":
        sys.stdout.buffer.write(parts(*rest))
    elif command == "record":
        data = Path(rest[0]).read_bytes()
        sys.stdout.buffer.write(message((1, data[data.index(SIGNATURE) :]), (2, b"\x1a\x00")))
    elif command == "pickle":
        data = Path(rest[0]).read_bytes()
        pickle.dump((data, bytes(1 << 17), "jit_"), sys.stdout.buffer, protocol=4)
    elif command == "unpacked":
        sys.stdout.buffer.write(zlib.decompress(Path(rest[0]).read_bytes()))
    elif command == "cut":
        for file in rest[1:]:
            print(f"{Path(file).name}:", cut(Path(file).read_bytes(), int(rest[0])))
    elif command == "flip":
        chance = random.Random(1)
        crashes = 0
        for file in rest:
            for _ in range(30):
                data = bytearray(Path(file).read_bytes())
                data[chance.randrange(len(data))] = chance.randrange(256)
                scratch.write_bytes(data)
                crashes += status(scratch) not in (0, 1, 2)
        print("crashes:", crashes)


if __name__ == "__main__":
    main()
