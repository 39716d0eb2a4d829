"""Protos that grow with n: what makes their reader work, in few bytes."""

import os

SIGNATURE = b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    body = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def packed(field, values):
    return message(field, *map(varint, values))


F32 = number(2, 11) + packed(3, [8]) + message(5, packed(1, [0]))


def instruction(name, opcode, identity, *parts, shape=F32):
    return message(
        2, message(1, name), message(2, opcode), message(3, shape), number(35, identity), *parts
    )


def computation(name, identity, *instructions, root=1):
    return message(
        3, message(1, name), *instructions, number(5, identity), number(6, root)
    )


def module(*computations, schedule=()):
    order = message(7, message(1, number(1, 1), message(2, packed(1, schedule))))
    shapes = message(4, message(2, F32))
    return message(1, message(1, "jit_f"), *computations, shapes, number(6, 1), order)


def assignment(*values, extra=b""):
    """Values, each an id and the id of its instruction, in one allocation."""
    buffers = b"".join(
        message(1, number(1, i), number(2, 32), message(3, number(4, at))) for i, at in values
    )
    lines = b"".join(message(9, number(1, i), number(3, 32)) for i, _ in values)
    return message(3, buffers, message(3, number(2, 32), number(7, 1), lines), extra)


def save(folder, content):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "program.hlo.pb")
    with open(path, "wb") as out:
        out.write(content)
    return path


def program(*more, schedule=(1, 2, 3)):
    """The value a and what the instructions 2 and 3 may be."""
    entry = computation("entry", 1, instruction("a", "iota", 1), *more)
    return module(entry, schedule=schedule) + assignment((0, 1))


def signatures_of_records(folder, n):
    return save(folder, b"\n\x01a jit_" + SIGNATURE * n)


def modules_around_one_field(folder, n):
    """Each begins inside a field of the one before, and all end with the same
    computation, which has no instruction."""
    last = message(3, number(9, 0) * n)
    rest = b""
    for _ in range(n // 20):
        inside = message(1, "a") + message(20, rest)
        rest = b"\n" + varint(len(inside) + len(last)) + inside
    return save(folder, rest + last)


def programs_in_one_file(folder, n):
    return save(folder, program(schedule=[1]) * n)


def long_name_of_operands(folder, n):
    name = "a" * n
    parts = [instruction(name, "iota", 2), instruction("b", "tuple", 3, packed(36, [2] * n))]
    return save(folder, program(*parts))


def long_name_before_others(folder, n):
    parts = [instruction("a" * n, "iota", 2), instruction("b", "iota", 3, packed(37, [2] * n))]
    return save(folder, program(*parts))


def callees_of_one(folder, n):
    callees = packed(38, [1] * n)
    parts = [instruction("b", "iota", 2), instruction("c", "custom-call", 3, callees)]
    return save(folder, program(*parts))


def index_of_alias(folder, n):
    alias = message(74, packed(1, [0] * n), packed(3, [0] * n))
    parts = [instruction("b", "iota", 2), instruction("c", "fusion", 3, alias)]
    return save(folder, program(*parts))


def root_in_a_circle(folder, n):
    operands = packed(36, [1] * n)
    chain = [instruction(f"x.{i}", "iota", i + 2) for i in range(n)]
    entry = computation("entry", 1, instruction("a", "bitcast", 1, operands), *chain)
    return save(folder, module(entry, schedule=[1]) + assignment((0, 2)))


def steps_of_one_instruction(folder, n):
    return save(folder, program(schedule=[1] * n))


def values_at_one_place(folder, n):
    entry = computation("entry", 1, instruction("a", "iota", 1))
    return save(folder, module(entry, schedule=[1]) + assignment(*[(i, 1) for i in range(n)]))


def events_of_one_value(folder, n):
    event = message(1, number(1, 0), number(2, 0))
    free = message(1, number(1, 1), number(2, 0))
    trace = message(4, (event + free) * n, number(3, 0))
    entry = computation("entry", 1, instruction("a", "iota", 1))
    return save(folder, module(entry, schedule=[1]) + assignment((0, 1), extra=trace))


def peaks_of_one_value(folder, n):
    peaks = message(5, number(1, 0), packed(2, [0] * n)) * 4
    aliases = message(2, number(1, 0), message(2, number(4, 1))) * n
    entry = computation("entry", 1, instruction("a", "iota", 1))
    return save(folder, module(entry, schedule=[1]) + assignment((0, 1), extra=peaks + aliases))


PROTO_CASES = {
    f.__name__.replace("_", "-"): (f, n)
    for f, n in (
        (signatures_of_records, 50000),
        (modules_around_one_field, 20000),
        (programs_in_one_file, 300),
        (long_name_of_operands, 50000),
        (long_name_before_others, 50000),
        (callees_of_one, 5000),
        (index_of_alias, 50000),
        (root_in_a_circle, 5000),
        (steps_of_one_instruction, 20000),
        (values_at_one_place, 5000),
        (events_of_one_value, 20000),
        (peaks_of_one_value, 20000),
    )
}
