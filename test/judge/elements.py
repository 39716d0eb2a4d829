"""Which elements of an operand each element of a result is computed from.

Everything is exact, element by element, by numpy: shapes have to be small. A fused
computation is followed from its parameters to its root. Start indices that are not
constants are drawn at random, the same instruction having the same number everywhere.
"""

import dataclasses
import random
import re
from typing import Optional

import numpy as np

from hlo import index_of, subshapes

LIMIT = 1 << 22  # elements of one matrix
ARRAY = re.compile(r"([a-z]\w*)\[([\d,]*)\](?:\{([^}]*)\})?")
WIDTHS = {"pred": 1, "bf16": 2, "c64": 8, "c128": 16}
FORWARD = {"bitcast", "copy", "reshape", "transpose", "optimization-barrier"}
ELEMENTWISE = set(
    "abs add and atan2 cbrt ceil clamp clz compare complex convert cosine "
    "count-leading-zeros divide erf exponential exponential-minus-one floor imag "
    "is-finite log log-plus-one logistic maximum minimum multiply negate not or "
    "popcnt popcount power real reduce-precision remainder round-nearest-afz "
    "round-nearest-even rsqrt select shift-left shift-right-arithmetic "
    "shift-right-logical sign sine sqrt stochastic-convert subtract tan tanh xor "
    "bitcast-convert map".split()
)
NO_READS = {"constant", "iota", "partition-id", "replica-id", "rng", "after-all"}


class TooLarge(Exception):
    """More elements than this is made for, or a form that is not known."""


@dataclasses.dataclass
class Shape:
    type: str
    dims: tuple
    layout: str

    @property
    def size(self):
        return int(np.prod(self.dims, dtype=np.int64))

    @property
    def width(self):
        digits = re.findall(r"\d+", self.type)
        if "E(" in self.layout or self.type in ("s4", "u4", "s2", "u2", "s1", "u1"):
            raise TooLarge("less than a byte")
        return WIDTHS.get(self.type) or int(digits[0]) // 8 or 1


def shape_of(text):
    match = ARRAY.match(text)
    if not match:
        raise TooLarge(f"shape {text}")
    shape = Shape(
        match[1], tuple(map(int, filter(None, match[2].split(",")))), match[3] or ""
    )
    if shape.size > LIMIT:
        raise TooLarge(text)
    return shape


def addresses(shape):
    """For each element, in row-major order, the place of it counted in elements."""
    order = index_of(shape.layout.split(":")[0])
    if len(order) != len(shape.dims):
        order = tuple(reversed(range(len(shape.dims))))
    grid = np.indices(shape.dims).reshape(len(shape.dims), shape.size)
    coordinates = [grid[d] for d in reversed(order)]
    sizes = [shape.dims[d] for d in reversed(order)]
    tiles = re.search(r"T((?:\([\d,*]+\))+)", shape.layout)
    for tile in re.findall(r"\(([\d,]+)\)", tiles[1]) if tiles else ():
        tile = index_of(tile)
        while len(coordinates) < len(tile):
            coordinates.insert(0, np.zeros(shape.size, np.int64))
            sizes.insert(0, 1)
        cut = len(coordinates) - len(tile)
        inner = list(zip(coordinates[cut:], sizes[cut:], tile))
        coordinates[cut:] = [c // t for c, _, t in inner] + [c % t for c, _, t in inner]
        sizes[cut:] = [-(-n // t) for _, n, t in inner] + [t for _, _, t in inner]
    place = np.zeros(max(shape.size, 1), np.int64)[: shape.size]
    for c, n in zip(coordinates, sizes):
        place = place * n + c
    return place


class Fused:
    """The values of a computation: what each reads of the leaves that it is given.

    reads: {leaf: bool[elements of the value, elements of the leaf]}
    same: {leaf: int[elements of the value]}, of which element it is a copy, or -1
    number: of a scalar that may be an index
    """

    @dataclasses.dataclass
    class Value:
        reads: dict
        same: dict
        number: Optional[int] = None

    def __init__(self, module, name, turn):
        self.module, self.unsure, self.drew = module, False, False
        self.rng = random.Random(f"{name} {turn}")
        self.high = (5, 5, 3, 101)[turn % 4]

    def draw(self):
        """A start index that nothing shows; in some turns it may be out of bounds."""
        self.drew = True
        return self.rng.randrange(-(self.high // 25), self.high)

    def leaf(self, key, shape):
        n = shape.size
        if n * n > LIMIT:
            raise TooLarge(str(key))
        number = self.draw() if n == 1 else None
        return self.Value({key: np.eye(n, dtype=bool)}, {key: np.arange(n)}, number)

    def run(self, computation, given):
        """given: by parameter, {index: Value}; the leaves of the root by index."""
        values = {}
        for x in computation.instructions:
            if x.opcode == "parameter":
                values[x.name] = given[x.parameter]
                continue
            operands = [
                {
                    i[len(o.path) :]: v
                    for i, v in values[o.name].items()
                    if i[: len(o.path)] == o.path
                }
                for o in x.operands
            ]
            values[x.name] = self.instruction(x, operands)
        return values[computation.root.name]

    def instruction(self, x, operands):
        if x.opcode == "tuple":
            return {(k,) + i: v for k, o in enumerate(operands) for i, v in o.items()}
        if x.opcode == "get-tuple-element":
            at = int(x.line[slice(*x.element())])
            return {i[1:]: v for i, v in operands[0].items() if i[:1] == (at,)}
        if x.opcode in ("fusion", "fusion-start"):
            body = next(c for role, c in self.module.callees(x) if role == "calls")
            return self.run(body, operands)
        shapes = {
            i: shape_of(s)
            for i, s in subshapes(x.shape).items()
            if not s.startswith("(")
        }
        if x.opcode == "optimization-barrier":
            return operands[0]
        given = [o.get((), None) for o in operands]
        if list(shapes) != [()] or None in given:
            flat = [v for o in operands for v in o.values()]
            self.unsure = True
            return {i: self.of_all(s, flat) for i, s in shapes.items()}
        return {(): self.array(x, shapes[()], given)}

    def array(self, x, shape, operands):
        rule = getattr(self, x.opcode.replace("-", "_"), None)
        if x.opcode in ELEMENTWISE:
            value = self.elementwise(shape, operands)
        elif x.opcode in NO_READS:
            value = self.Value({}, {})
        elif rule:
            value = rule(x, shape, operands)
        else:
            self.unsure |= x.opcode in ("custom-call", "call", "while", "conditional")
            value = self.of_all(shape, operands)
        if shape.size == 1 and value.number is None:
            value.number = self.scalar(x, operands)
        return value

    # Scalars, which may be start indices.

    def scalar(self, x, operands):
        n = [o.number for o in operands]
        if x.opcode == "constant":
            literal = re.match(r"\s*\{?\s*(-?\d+|true|false)", x.line[x.begin : x.end])
            word = literal[1] if literal else "0"
            return {"true": 1, "false": 0}.get(word) if word.isalpha() else int(word)
        if None in n or not n:
            return self.draw()
        direction = re.search(r"direction=(\w\w)", x.line)
        compared = {
            "EQ": lambda a, b: a == b,
            "NE": lambda a, b: a != b,
            "LT": lambda a, b: a < b,
            "LE": lambda a, b: a <= b,
            "GT": lambda a, b: a > b,
            "GE": lambda a, b: a >= b,
        }.get(direction and direction[1], lambda a, b: 0)
        rules = {
            "add": lambda a, b: a + b,
            "subtract": lambda a, b: a - b,
            "multiply": lambda a, b: a * b,
            "maximum": max,
            "minimum": min,
            "negate": lambda a: -a,
            "select": lambda p, a, b: a if p else b,
            "clamp": lambda low, a, high: min(max(a, low), high),
            "compare": lambda a, b: int(compared(a, b)),
            "and": lambda a, b: a & b,
            "or": lambda a, b: a | b,
        }
        if x.opcode in rules:
            return rules[x.opcode](*n)
        forwards = FORWARD | {"convert", "broadcast", "slice", "dynamic-slice"}
        return n[0] if x.opcode in forwards else self.draw()

    # Rules by opcode.

    def gathered(self, operand, index):
        """Element i is element index[i] of the operand, or of nothing if negative."""
        gone = index < 0
        reads = {
            k: np.where(gone[:, None], False, m[index])
            for k, m in operand.reads.items()
        }
        same = {k: np.where(gone, -1, s[index]) for k, s in operand.same.items()}
        return self.Value(reads, same, operand.number)

    def joined(self, values, chosen=None):
        """Reads of all; copies too if chosen shows of which value each element is one."""
        out = self.Value({}, {})
        for k, v in enumerate(values):
            for key, m in v.reads.items():
                out.reads[key] = out.reads[key] | m if key in out.reads else m
            if chosen is None:
                continue
            for key, s in v.same.items():
                old = out.same.get(key, np.full(len(s), -1))
                out.same[key] = np.where(chosen == k, s, old)
        return out

    def of_all(self, shape, operands):
        """Every element reads all of every operand."""
        out = self.Value({}, {})
        for v in operands:
            for key, m in v.reads.items():
                row = m.any(0)
                if shape.size * len(row) > LIMIT:
                    raise TooLarge("a matrix")
                row = np.broadcast_to(row, (shape.size, len(row)))
                out.reads[key] = out.reads.get(key, False) | row
        return out

    def spread(self, shape, v):
        if all(len(m) == shape.size for m in v.reads.values()):
            return v
        return self.gathered(v, np.zeros(shape.size, np.int64))

    def elementwise(self, shape, operands):
        return self.joined([self.spread(shape, v) for v in operands])

    def bitcast(self, x, shape, operands):
        source = self.operand_shape(x, 0)
        if source.width != shape.width or source.size != shape.size:
            raise TooLarge("a bitcast to another width")
        at = {a: i for i, a in enumerate(addresses(source).tolist())}
        index = [at.get(a, -1) for a in addresses(shape).tolist()]
        return self.gathered(operands[0], np.array(index, np.int64))

    def operand_shape(self, x, k):
        o = x.operands[k]
        text = subshapes(self.module.by_name[o.name].shape)[o.path]
        return shape_of(text)

    def copy(self, x, shape, operands):
        return operands[0]

    def reshape(self, x, shape, operands):
        return operands[0]

    def numbers_in(self, x, key):
        match = re.search(rf", {key}=\{{([^}}]*)\}}", x.line)
        return index_of(match[1]) if match else ()

    def grid(self, x, k=0):
        shape = self.operand_shape(x, k)
        return np.arange(shape.size).reshape(shape.dims)

    def transpose(self, x, shape, operands):
        index = self.grid(x).transpose(self.numbers_in(x, "dimensions"))
        return self.gathered(operands[0], index.reshape(-1))

    def reverse(self, x, shape, operands):
        index = np.flip(self.grid(x), self.numbers_in(x, "dimensions"))
        return self.gathered(operands[0], index.reshape(-1))

    def broadcast(self, x, shape, operands):
        grid, dims = self.grid(x), [1] * len(shape.dims)
        for d, to in enumerate(self.numbers_in(x, "dimensions")):
            dims[to] = grid.shape[d]
        index = np.broadcast_to(grid.reshape(dims), shape.dims)
        return self.gathered(operands[0], index.reshape(-1))

    def slice(self, x, shape, operands):
        text = re.search(r", slice=\{([^}]*)\}", x.line)[1]
        parts = [index_of(part) for part in re.findall(r"\[([^]]*)\]", text)]
        index = self.grid(x)[tuple(slice(*part) for part in parts)]
        return self.gathered(operands[0], index.reshape(-1))

    def starts(self, operands, big, small):
        out = []
        for v, n, k in zip(operands, big, small):
            at = min(max(v.number or 0, 0), n - k)
            out.append(slice(at, at + k))
        return tuple(out)

    def dynamic_slice(self, x, shape, operands):
        grid = self.grid(x)
        index = grid[self.starts(operands[1:], grid.shape, shape.dims)]
        return self.gathered(operands[0], index.reshape(-1))

    def dynamic_update_slice(self, x, shape, operands):
        grid, update = self.grid(x), self.operand_shape(x, 1)
        index = np.full(grid.shape, -1)
        place = self.starts(operands[2:], grid.shape, update.dims)
        index[place] = np.arange(update.size).reshape(update.dims)
        index = index.reshape(-1)
        kept = np.where(index < 0, np.arange(shape.size), -1)
        parts = [self.gathered(operands[0], kept), self.gathered(operands[1], index)]
        return self.joined(parts, (index >= 0).astype(int))

    def concatenate(self, x, shape, operands):
        axis = self.numbers_in(x, "dimensions")[0]
        parts, begin, chosen = [], 0, np.zeros(shape.size, int)
        for k, v in enumerate(operands):
            grid = self.grid(x, k)
            index = np.full(shape.dims, -1)
            place = [slice(None)] * len(shape.dims)
            place[axis] = slice(begin, begin + grid.shape[axis])
            index[tuple(place)] = grid
            begin += grid.shape[axis]
            index = index.reshape(-1)
            parts.append(self.gathered(v, index))
            chosen[index >= 0] = k
        return self.joined(parts, chosen)

    def pad(self, x, shape, operands):
        text = re.search(r", padding=([\dx_-]+)", x.line)
        grid = self.grid(x)
        index = np.full(shape.dims, -1)
        places = []
        for n, part in zip(grid.shape, text[1].split("x") if text else ()):
            low, _, *gap = [int(v) for v in part.split("_")]
            places.append(np.arange(n) * ((gap or [0])[0] + 1) + low)
        kept = [(p >= 0) & (p < n) for p, n in zip(places, shape.dims)]
        where = np.ix_(*(p[k] for p, k in zip(places, kept)))
        index[where] = grid[np.ix_(*kept)]
        parts = [self.gathered(operands[0], index.reshape(-1))]
        return self.joined(parts, (index.reshape(-1) < 0).astype(int))

    def reduce(self, x, shape, operands):
        source, over = self.operand_shape(x, 0), self.numbers_in(x, "dimensions")
        out = self.Value({}, {})
        for key, m in operands[0].reads.items():
            m = m.reshape(source.dims + (-1,)).any(axis=tuple(over))
            out.reads[key] = m.reshape(shape.size, -1)
        return out

    def scatter(self, x, shape, operands):
        """Any element may take any update; what is not hit stays as it is."""
        count = (len(operands) - 1) // 2
        return self.joined([operands[0], self.of_all(shape, operands[count + 1 :])])
