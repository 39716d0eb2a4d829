"""Building blocks of varied programs, and how they draw their operands.

A block takes values of the pool and adds its results. It names what it is meant to reach
in compiled modules, as utils/hunt counts it. Floats stay within [-1, 1], so that rounding
errors stay small; whatever decides (an index, a key of a sort, a branch) is an integer.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SHAPES = ((8, 16), (16, 8), (128,), (4, 32), (2, 8, 8), (6,), (5, 7))
MOST = 4096  # elements of a value
BLOCKS = {}
STRICT = False
# Of the program that is being made; set by judge.py.
SETTINGS = {"platform": "cpu", "weights": {}, "blocks": []}
REFUSED = TypeError, ValueError, NotImplementedError, AttributeError


def block(*_):
    """Registers a block. utils/hunt reads the names of what it is meant to reach."""

    def register(function):
        BLOCKS[function.__name__] = function
        return function

    return register


def kind_of(x):
    """c, f, i or b; also for the types that numpy does not know."""
    for kind, of in (("c", jnp.complexfloating), ("f", jnp.floating), ("i", jnp.integer)):
        if jnp.issubdtype(x.dtype, of):
            return kind
    return "b"


def squash(x):
    return x / (1 + jnp.abs(x)).astype(x.dtype)


class Draw:
    """What blocks draw from: random choices, the pool, and the blocks that follow."""

    def __init__(self, rng, pool, names, sharded=False):
        self.rng, self.pool, self.names, self.sharded = rng, list(pool), list(names), sharded
        self.depth = 0
        self.agreed = sharded  # all devices come here at the same time

    def recent(self, kinds="cfib", low=0):
        """A value of these kinds, newer ones more often."""
        able = [x for x in self.pool if kind_of(x) in kinds and x.ndim >= low]
        if not able:
            return lax.iota("int32", 16)
        return able[-1 - min(int(self.rng.expovariate(0.6)), len(able) - 1)]

    def shape(self, rank=None):
        return self.rng.choice([s for s in SHAPES if rank in (None, len(s))])

    def fit(self, x, shape, dtype):
        """A value of this shape and type, made of this one."""
        shape = tuple(shape)
        probe = jnp.zeros((), dtype)
        if kind_of(probe) in "ib" and kind_of(x) not in "ib":
            return self.ints(shape, dtype)
        if x.shape != shape:
            size = int(np.prod(shape))
            flat = x.reshape(-1)
            if flat.size < size:
                flat = jnp.tile(flat, -(-size // flat.size))
            start = self.rng.randrange(flat.size - size + 1)
            x = lax.slice(flat, (start,), (start + size,)).reshape(shape)
        if x.dtype == dtype:
            return x
        if kind_of(x) == "c" and kind_of(probe) != "c":
            x = x.real
        if kind_of(x) == "i" and kind_of(probe) in "fc":
            x = (x % 128).astype(jnp.float32) * np.float32(1 / 128)
        if kind_of(probe) == "b":
            return x % 2 == 1
        return x.astype(dtype)

    def floats(self, shape, dtype="float32"):
        x = self.recent("f") if self.rng.random() < 0.8 else self.recent()
        return squash(self.fit(x, shape, dtype))

    def ints(self, shape, dtype="int32"):
        return self.fit(self.recent("ib"), shape, dtype)

    def index(self, high):
        """A number in [0, high]: a constant, or computed from a value."""
        if self.rng.random() < 0.4:
            return np.int32(self.rng.randint(0, high))
        x = self.ints((4,))[self.rng.randrange(4)]
        return lax.rem(jnp.abs(lax.rem(x, np.int32(997))), np.int32(high + 1))

    def body(self, state, outside, names):
        """New values for all of the state, by these blocks."""
        inner = Draw(self.rng, [*outside, *state], names, self.sharded)
        inner.depth, inner.agreed = self.depth + 1, False
        inner.all()
        new = []
        for x in state:
            same = [y for y in inner.pool if y.shape == x.shape and y.dtype == x.dtype]
            if self.rng.random() < 0.3:
                new.append(self.rng.choice(same))
            else:
                new.append(self.fit(inner.pool[-1], x.shape, x.dtype))
        return tuple(new)

    def state(self):
        """What a loop or a branch takes: some of the newer values."""
        return tuple(self.recent() for _ in range(self.rng.randint(1, 3)))

    def take(self, most=3):
        """The names of the blocks that become a body; never none."""
        if not self.names:
            return ["shifted"]
        count = min(self.rng.randint(1, most), len(self.names))
        taken, self.names = self.names[:count], self.names[count:]
        return taken

    def all(self):
        while self.names:
            name = self.names.pop(0)
            try:
                self.add(BLOCKS[name](self))
            except REFUSED as error:  # jax, say of a derivative that is not known
                if STRICT:
                    raise
                print(f"{name}: {type(error).__name__} {str(error)[:200]}", file=sys.stderr)

    def add(self, made):
        for x in made if isinstance(made, (tuple, list)) else [made]:
            if 0 < x.size <= MOST:
                self.pool.append(x)


# Elements.


@block(
    """opcode sine, opcode cosine, opcode tan, opcode tanh, opcode exponential,
    opcode exponential-minus-one, opcode log, opcode log-plus-one, opcode sqrt, opcode rsqrt,
    opcode cbrt, opcode logistic, opcode erf, opcode atan2, opcode power"""
)
def transcendental(d):
    x = d.floats(d.shape())
    far = jnp.abs(x) + 0.5
    forms = (
        *(lambda f=f: f(x) for f in (lax.sin, lax.cos, lax.tan, lax.tanh, lax.exp)),
        *(lambda f=f: f(far) for f in (lax.expm1, lax.log, lax.log1p, lax.sqrt)),
        *(lambda f=f: f(far) for f in (lax.rsqrt, lax.cbrt, lax.logistic, lax.erf)),
        *(lambda f=f: f(x) for f in (lax.sinh, lax.cosh, lax.asinh, lax.atan)),
        lambda: lax.atan2(x, far),
        lambda: lax.pow(far, x),
        lambda: lax.acosh(far + 1),
        lambda: lax.atanh(x * 0.5) + lax.asin(x * 0.5) + lax.acos(x * 0.5),
        lambda: lax.erf_inv(x * 0.5) + lax.lgamma(far) * 0.1 + lax.digamma(far) * 0.1,
    )
    return [squash(form()) for form in d.rng.sample(forms, 2)]


@block(
    """opcode floor, opcode ceil, opcode round-nearest-afz, opcode round-nearest-even,
    opcode is-finite, opcode sign, opcode reduce-precision"""
)
def rounding(d):
    # Exact, so that nothing is rounded to another side.
    x = (d.ints(d.shape()) & 1023).astype("float32") * np.float32(0.25) - np.float32(99.0625)
    forms = (
        lambda: lax.floor(x),
        lambda: lax.ceil(x),
        lambda: lax.round(x),
        lambda: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
        lambda: jnp.where(lax.is_finite(x), x, 1),
        lambda: lax.sign(x) * x,
        lambda: lax.reduce_precision(x, 5, 10),
        lambda: lax.nextafter(x, x + 1),
    )
    return [squash(form()) for form in d.rng.sample(forms, 2)]


@block(
    """opcode popcnt, opcode count-leading-zeros, opcode not, opcode shift-left,
    opcode shift-right-logical, opcode shift-right-arithmetic, opcode remainder,
    opcode divide, opcode minimum, opcode xor, opcode or"""
)
def bits(d):
    kind = d.rng.choice(("int32", "uint32", "int16", "uint8", "int8"))
    x, y = d.ints(d.shape(), kind), None
    y = d.ints(x.shape, kind)
    small, one = y & 7, jnp.ones((), kind)
    forms = (
        lambda: lax.population_count(x),
        lambda: lax.clz(x),
        lambda: ~x,
        lambda: lax.shift_left(x, small),
        lambda: lax.shift_right_logical(x, small),
        lambda: lax.shift_right_arithmetic(x, small),
        lambda: lax.rem(x, (y | one) & 15 | one),
        lambda: lax.div(x, y & 15 | one),
        lambda: jnp.minimum(x, y) ^ (x | y),
        lambda: lax.integer_pow(x, 3),
    )
    return [form() for form in d.rng.sample(forms, 2)]


@block("opcode complex", "opcode real", "opcode imag", "type c64")
def complex_numbers(d):
    shape = d.shape()
    x = lax.complex(d.floats(shape), d.floats(shape))
    x = x * d.fit(d.recent("c"), shape, "complex64")
    x = d.rng.choice((lambda x: x * 1j, jnp.conj, lambda x: x * x + 1, lax.exp))(x)
    x = x / (1 + jnp.abs(x))
    rows = x.at[1:].set(x[:-1]) if d.rng.random() < 0.5 else x
    return d.rng.choice(([rows], [rows.real, rows], [rows.imag, x]))


@block("type bf16", "type f16", "type f8e4m3fn", "type f8e5m2")
def narrow_floats(d):
    kind = d.rng.choice(("bfloat16", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"))
    x = d.floats(d.shape()).astype(kind)
    if d.rng.random() < 0.5:
        x = x.at[1:].set(x[:-1])
    return [d.rng.choice((lambda x: x, lambda x: x.astype("float32")))(x)]


@block("type s4", "type u4")
def narrow_ints(d):
    kind = d.rng.choice(("int4", "uint4"))
    x = (d.ints(d.shape(2)) & 7).astype(kind)
    form = d.rng.randrange(4)
    if form == 0:
        x = lax.dynamic_update_slice(x, x[1:3], (d.index(2), 0))
    elif form == 1:
        x = jnp.concatenate([x[1:], x[:1]])
    elif form == 2:
        x = lax.fori_loop(0, 3, lambda i, x: x.at[1:].set(x[:-1]), x)
    return [x.astype("int32")]


@block("opcode bitcast-convert", "in place: bitcast")
def other_width(d):
    form = d.rng.randrange(4)
    if form == 0:
        return lax.bitcast_convert_type(d.ints(d.shape()), "uint8")
    if form == 1:
        return lax.bitcast_convert_type(d.ints((*d.shape(), 4), "uint8"), "int32")
    if form == 2:
        return lax.bitcast_convert_type(d.ints((*d.shape(), 2), "int16"), "int32")
    return lax.bitcast_convert_type(d.floats(d.shape()), "int32") * 0 + 1


# Sums and products.


@block("opcode dot")
def product(d):
    form = d.rng.randrange(5)
    kind = d.rng.choice(("float32", "float32", "bfloat16", "int32", "int8"))
    draw = d.ints if kind.startswith("int") else d.floats
    if form == 0:
        out = draw((8, 16), kind) @ draw((16, 8), kind)
    elif form == 1:
        out = jnp.einsum("bij,bjk->bik", draw((2, 8, 8), kind), draw((2, 8, 8), kind))
    elif form == 2:
        out = draw((16,), kind) @ draw((16, 8), kind)
    elif form == 3:
        out = jnp.einsum("ij,ij->j", draw((8, 16), kind), draw((8, 16), kind))
    else:
        a, b = draw((8, 16), kind), draw((16, 16), kind)
        wide = jnp.int32 if draw == d.ints else jnp.float32
        out = lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=wide)
    return out if draw == d.ints else squash(out)


@block("opcode ragged-dot")
def ragged_product(d):
    sizes = np.array([3, 0, 5], "int32")
    return squash(lax.ragged_dot(d.floats((8, 16)), d.floats((3, 16, 8)), sizes))


@block("opcode convolution")
def convolution(d):
    form = d.rng.randrange(4)
    if form == 0:
        out = lax.conv(d.floats((1, 2, 8, 8)), d.floats((3, 2, 3, 3)), (1, 1), "SAME")
    elif form == 1:
        x, w = d.floats((1, 8, 16)), d.floats((8, 1, 3))
        out = lax.conv_general_dilated(x, w, (1,), "SAME", feature_group_count=8)
    elif form == 2:
        x, w = d.floats((2, 4, 8)), d.floats((4, 4, 3))
        out = lax.conv_general_dilated(x, w, (2,), [(1, 1)], None, (2,))
    else:
        x, w = d.floats((1, 2, 6, 6)), d.floats((2, 2, 3, 3))
        out = lax.conv_general_dilated(x, w, (1, 1), [(1, 1)] * 2, (2, 2))
    return squash(out)


@block("opcode reduce-window")
def windows(d):
    form = d.rng.randrange(5)
    if form == 0:
        x = d.ints((8, 16))
        return lax.reduce_window(x, np.int32(-9999), lax.max, (2, 2), (1, 2), "SAME")
    if form == 1:
        return squash(lax.reduce_window(d.floats((8, 16)), 0.0, lax.add, (3, 1), (1, 1), "SAME"))
    if form == 2:
        return squash(jnp.cumprod(d.floats((8, 16)), axis=d.rng.randrange(2)))
    if form == 3:
        return lax.cummax(d.ints((8, 16)), axis=1, reverse=True)
    return lax.associative_scan(jnp.add, d.ints((16, 8)), axis=0)


@block("opcode select-and-scatter")
def pooled(d):
    sides = (1, 2, 2, 1)

    def loss(x):
        return lax.reduce_window(x, -np.inf, lax.max, sides, sides, "VALID").sum()

    x = d.ints((1, 8, 8, 2)).astype("float32")
    return squash(jax.grad(loss)(x) + d.floats((1, 8, 8, 2)))


@block("opcode reduce")
def several_sums(d):
    x, y = d.ints((8, 16)), d.ints((8, 16))
    form = d.rng.randrange(4)
    if form == 0:
        return lax.reduce(
            (x, y),
            (np.int32(0), np.int32(1)),
            lambda a, b: (jnp.maximum(a[0], b[0]), a[1] * b[1]),
            (d.rng.randrange(2),),
        )
    if form == 1:
        return jnp.argmax(x, 1), jnp.argmin(y, 0), x.max(0)
    if form == 2:
        return squash(jax.nn.logsumexp(d.floats((8, 16)), 1)), x.prod(0)
    return squash(jax.nn.softmax(d.floats((8, 16)))), squash(d.floats((8, 16)).var(0))
