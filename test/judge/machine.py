"""Scalar instructions of HLO as a machine computes them: integers wrap around."""

import re

import numpy as np

SHAPE = re.compile(r"(pred|[su](?:8|16|32|64))\[\]")
COMPARED = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def kind_of(shape):
    """The type of a scalar, or None."""
    match = SHAPE.match(shape)
    if not match:
        return None
    name = match[1]
    if name == "pred":
        return np.dtype(bool)
    return np.dtype(("int" if name[0] == "s" else "uint") + name[1:])


def limits_of(shape):
    """(low, high, name of the type) of an integer, or None."""
    kind = kind_of(shape)
    if kind is None or kind == bool:
        return None
    limits = np.iinfo(kind)
    return int(limits.min), int(limits.max), kind.name


def quotient(a, b):
    sign = -1 if (a < 0) != (b < 0) else 1
    return sign * (abs(a) // abs(b)) if b else None


def remainder(a, b):
    return a - b * quotient(a, b) if b else None


def shifted(a, by, bits, logical):
    """The highest bit is the sign for an arithmetic shift, of unsigned values too."""
    a %= 1 << bits
    if not logical and a >> (bits - 1):
        a -= 1 << bits
    return a >> (by if 0 <= by < bits else bits)


def result_of(x, given):
    """The result of an instruction for these operands; None if it is not known."""
    kind = kind_of(x.shape)
    if kind is None:
        return None
    if x.opcode == "constant":
        word = x.line[x.begin : x.end].strip(" {}")
        return {"true": 1, "false": 0}[word] if word.isalpha() else int(word)
    bits = kind.itemsize * 8
    rules = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": quotient,
        "remainder": remainder,
        "maximum": lambda a, b: max(a, b),
        "minimum": lambda a, b: min(a, b),
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "not": lambda a: ~a if kind != bool else not a,
        "negate": lambda a: -a,
        "abs": abs,
        "sign": lambda a: (a > 0) - (a < 0),
        "select": lambda p, a, b: a if p else b,
        "clamp": lambda low, a, high: min(max(a, low), high),
        "shift-left": lambda a, by: a << by if 0 <= by < bits else 0,
        "shift-right-logical": lambda a, by: shifted(a, by, bits, True),
        "shift-right-arithmetic": lambda a, by: shifted(a, by, bits, False),
        "compare": lambda a, b: COMPARED[re.search(r"direction=(\w\w)", x.line)[1]](
            a, b
        ),
        "convert": lambda a: a,
        "copy": lambda a: a,
        "bitcast": lambda a: a,
        "reshape": lambda a: a,
        "broadcast": lambda a: a,
    }
    if x.opcode not in rules:
        return None
    number = rules[x.opcode](*given)
    if number is None:
        return None
    if kind == bool:
        return int(bool(number))
    return wrapped(int(number), kind)


def wrapped(number, kind):
    bits = kind.itemsize * 8
    number %= 1 << bits
    return number - (1 << bits) if kind.kind == "i" and number >> (bits - 1) else number
