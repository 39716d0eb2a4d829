"""Programs that update an array in place, at indices that are known only at run time.

`indices_N` has one to four scalars, and updates windows of an array with what it reads in
other windows: moved, reversed, transposed, padded, joined, combined, in a loop or not.
What is drawn while jax traces depends only on the number.
"""

import random

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from index_scalars import TYPES, expression
from programs import Program

SHAPES = (
    [(12,), (16,), (24,), (64,), (100,), (128,)]
    + [(8, 16), (16, 4), (6, 5), (32, 4), (12, 8), (3, 20), (64, 2), (40, 3)] * 2
    + [(2, 8, 4), (6, 5, 3), (8, 4, 2), (3, 3, 8), (10, 2, 4), (1, 16, 4)]
    + [(256, 4), (64, 64)]
)
KINDS = ("int32",) * 5 + ("float32",) * 2 + ("bfloat16", "uint8")


class Draw:
    """Draws windows whose starts are expressions of scalars."""

    def __init__(self, rng, scalars, exact):
        self.rng, self.scalars, self.exact = rng, list(scalars), exact
        self.kind = "int32"
        if rng.random() < 0.12:
            self.kind = rng.choice(("int8", "uint8", "int16", "uint32"))
        self.negative = rng.random() < 0.4  # jax adds the size to a negative start

    def within(self, *scalars):
        """The same where these scalars exist, too: the counters of a loop."""
        inner = Draw.__new__(Draw)
        inner.__dict__.update(self.__dict__)
        inner.scalars = self.scalars + 2 * list(scalars)
        return inner

    def scalar(self, depth=2):
        return expression(self.rng, self.scalars, depth).astype(self.kind)

    def start(self, room, near):
        """The start of a window in one dimension that leaves this much room."""
        rng, way = self.rng, self.rng.random()
        if room == 0 and way < 0.9:
            return np.asarray(0, self.kind)
        if near is not None and way < 0.7:
            if way < 0.3:
                return near
            return lax.add(
                near,
                np.asarray(rng.choice((-3, -2, -1, -1, 1, 1, 2))).astype(self.kind),
            )
        if way < 0.8:
            return np.asarray(rng.randint(0, min(room + 1, 100)), self.kind)
        return self.scalar()

    def starts(self, shape, sizes, near=None):
        near = near or [None] * len(shape)
        return [self.start(n - k, s) for n, k, s in zip(shape, sizes, near)]

    def window(self, b, sizes, near=None):
        at = self.starts(b.shape, sizes, near)
        return lax.dynamic_slice(b, at, sizes, allow_negative_indices=self.negative)

    def put(self, b, update, at):
        return lax.dynamic_update_slice(
            b, update, at, allow_negative_indices=self.negative
        )


# What is written: a window of these sizes, made of what is read in an array of as many
# dimensions.


def moved(d, b, sizes, near, _):
    return d.window(b, sizes, near)


def turned(d, b, sizes, near, _):
    axis = d.rng.randrange(len(sizes))
    return lax.rev(d.window(b, sizes, near), (axis,))


def changed(d, b, sizes, near, depth):
    x = source(d, b, sizes, near, depth - 1)
    if d.exact and d.rng.random() < 0.5:
        return x + np.asarray(1, x.dtype)
    return lax.neg(x)


def combined(d, b, sizes, near, depth):
    """Of two elements, so that it matters how often it is done."""
    x = source(d, b, sizes, near, depth - 1)
    y = source(d, b, sizes, near, depth - 1)
    way = d.rng.randrange(4 if d.exact else 2)
    if way < 2:
        return chosen(*((x, y) if way else (y, x)))
    return x + y if way == 2 else x - y


def chosen(x, y):
    return lax.select(x > np.asarray(7, x.dtype), y, x)


def transposed(d, b, sizes, near, depth):
    order = list(range(len(sizes)))
    d.rng.shuffle(order)
    inner = [sizes[k] for k in order]
    if any(k > n for k, n in zip(inner, b.shape)):
        return source(d, b, sizes, near, depth - 1)
    back = [order.index(k) for k in range(len(order))]
    return lax.transpose(d.window(b, inner, near), back)


def padded(d, b, sizes, near, depth):
    axis = d.rng.randrange(len(sizes))
    low = d.rng.randint(0, sizes[axis] - 1)
    high = d.rng.randint(0, sizes[axis] - 1 - low)
    inner = [k - (low + high) * (axis == a) for a, k in enumerate(sizes)]
    config = [(low, high, 0) if axis == a else (0, 0, 0) for a in range(len(sizes))]
    return lax.pad(source(d, b, inner, near, depth - 1), np.zeros((), b.dtype), config)


def joined(d, b, sizes, near, depth):
    axis = d.rng.randrange(len(sizes))
    if sizes[axis] < 2:
        return source(d, b, sizes, near, depth - 1)
    first = d.rng.randint(1, sizes[axis] - 1)
    parts = []
    for part in (first, sizes[axis] - first):
        inner = [part if axis == a else k for a, k in enumerate(sizes)]
        parts.append(source(d, b, inner, near, depth - 1))
    return lax.concatenate(parts, axis)


def flattened(d, b, sizes, near, _):
    size = int(np.prod(sizes))
    flat = b.reshape(-1) if d.rng.random() < 0.7 else b.T.reshape(-1)
    return d.window(flat, (size,), near[-1:]).reshape(sizes)


def spread(d, b, sizes, near, depth):
    axis = d.rng.randrange(len(sizes))
    inner = [1 if axis == a else k for a, k in enumerate(sizes)]
    x = source(d, b, inner, near, depth - 1)
    return lax.broadcast_in_dim(x, sizes, range(len(sizes)))


def strided(d, b, sizes, near, depth):
    axis, steps = d.rng.randrange(len(sizes)), [1] * len(sizes)
    wide = [2 * k - 1 if axis == a else k for a, k in enumerate(sizes)]
    if wide[axis] > b.shape[axis]:
        return source(d, b, sizes, near, depth - 1)
    steps[axis] = 2
    return lax.slice(d.window(b, wide, near), [0] * len(sizes), wide, steps)


def nested(d, b, sizes, near, depth):
    outer = source(d, b, sizes, near, depth - 1)
    inner = [d.rng.randint(1, k) for k in sizes]
    update = source(d, b, inner, near, depth - 1)
    return d.put(outer, update, d.starts(sizes, inner))


def summed(d, b, sizes, near, depth):
    axis = d.rng.randrange(len(sizes))
    wide = [k + 1 if axis == a else k for a, k in enumerate(sizes)]
    if not d.exact or wide[axis] > b.shape[axis]:
        return source(d, b, sizes, near, depth - 1)
    x = d.window(b, wide, near)
    pairs = jnp.stack(
        [lax.slice_in_dim(x, k, k + sizes[axis], axis=axis) for k in (0, 1)]
    )
    return lax.reduce(pairs, np.zeros((), b.dtype), lax.add, (0,))


def taken(d, b, sizes, near, _):
    low = [d.rng.randint(0, n - k) for n, k in zip(b.shape, sizes)]
    return lax.slice(b, low, [s + k for s, k in zip(low, sizes)])


SOURCES = (
    [moved] * 6
    + [changed, combined, flattened] * 2
    + [turned, transposed, padded, joined, spread, strided, nested, summed, taken]
)


def source(d, b, sizes, near, depth):
    make = d.rng.choice(SOURCES) if depth > 0 else moved
    return make(d, b, tuple(sizes), near, depth)


# Updates of an array.


def sizes_of(rng, shape):
    """Of a window: often whole rows, often large enough to meet another one."""
    return [
        n if k and rng.random() < 0.6 else rng.randint(1, n)
        for k, n in enumerate(shape)
    ]


def window_update(d, b, old):
    sizes = sizes_of(d.rng, b.shape)
    at = d.starts(b.shape, sizes)
    read = old if d.rng.random() < 0.25 else b
    update = source(d, read, sizes, at, d.rng.choice((0, 0, 0, 1, 1, 2)))
    if d.rng.random() < 0.1:
        own = lax.dynamic_slice(b, at, sizes, allow_negative_indices=d.negative)
        update = chosen(own, update)
    return d.put(b, update, at)


def row_update(d, b, _):
    to = d.scalar()
    near = lax.add(to, np.asarray(1, d.kind)) if d.rng.random() < 0.5 else d.scalar()
    row = lax.dynamic_index_in_dim(b, near, 0, keepdims=False)
    return lax.dynamic_update_index_in_dim(b, lax.neg(row) if d.exact else row, to, 0)


def indexed_update(d, b, _):
    to = d.scalar().astype("int32")
    return b.at[to].set(b[d.scalar(1).astype("int32")])


def flat_update(d, b, _):
    """Reads windows of an array, and updates one of its elements in a row."""
    sizes = sizes_of(d.rng, b.shape)
    count = int(np.prod(sizes))
    at = d.starts((b.size,), (count,))
    near = [None] * (b.ndim - 1) + at
    update = source(d, b, sizes, near, d.rng.choice((0, 0, 1))).reshape(count)
    return d.put(b.reshape(-1), update, at).reshape(b.shape)


def wider_update(d, b, old):
    """Updates it with another dimension of size 1."""
    axis = d.rng.randint(0, b.ndim)
    wide, read = jnp.expand_dims(b, axis), old if d.rng.random() < 0.2 else b
    sizes = sizes_of(d.rng, b.shape)
    at = d.starts(b.shape, sizes)
    update = source(d, read, sizes, at, d.rng.choice((0, 0, 1)))
    at = at[:axis] + [np.asarray(0, d.kind)] + at[axis:]
    return d.put(wide, jnp.expand_dims(update, axis), at).reshape(b.shape)


UPDATES = (
    [window_update] * 10
    + [flat_update, wider_update] * 2
    + [row_update, indexed_update]
)


def updated(d, b):
    old = b
    for _ in range(d.rng.choice((1, 1, 1, 1, 2, 2, 3))):
        b = d.rng.choice(UPDATES)(d, b, old)
    return b


# Where updates are.


def at_top(d, b):
    return updated(d, b)


def in_shape(d, b, shape):
    """Updates an array of this shape, which a loop carries in another one."""
    return updated(d, b.reshape(shape)).reshape(b.shape)


def carried(d, b):
    way = d.rng.random()
    return b[None] if way < 0.7 else b.reshape(-1) if way < 0.85 else b


def counted(d, b):
    """A loop with constant bounds."""
    low = d.rng.randint(-1, 3)
    high, shape = low + d.rng.randint(1, 5), b.shape

    def body(i, x):
        return in_shape(d.within(i), x, shape)

    return lax.fori_loop(low, high, body, carried(d, b)).reshape(shape)


def bounded(d, b):
    """A loop whose bounds are known at run time only."""
    shape, low = b.shape, lax.clamp(0, d.scalar(1).astype("int32"), 3)
    high = low + lax.clamp(1, d.scalar(1).astype("int32"), 4)

    def body(i, x):
        return in_shape(d.within(i), x, shape)

    return lax.fori_loop(low, high, body, carried(d, b)).reshape(shape)


def stepped(d, b):
    """A loop that computes another index in each round."""
    shape, count, first = b.shape, d.rng.randint(1, 4), d.scalar(1)
    add = d.rng.choice((-2, 1, 1, 2, 5))

    def body(state):
        i, j, x = state
        x = in_shape(d.within(i, j), x, shape)
        return i + 1, lax.add(j, np.asarray(add).astype(j.dtype)), x

    start = (jnp.int32(0), first, carried(d, b))
    return lax.while_loop(lambda s: s[0] < count, body, start)[2].reshape(shape)


def scanned(d, b):
    """A loop over an array of indices."""
    shape, n = b.shape, d.rng.randint(2, 4)
    rows = np.array([d.rng.randint(-1, shape[0]) for _ in range(n)], "int32")
    rows = (
        rows + d.scalar(1).astype("int32") if d.rng.random() < 0.6 else jnp.array(rows)
    )

    def body(x, row):
        return in_shape(d.within(row), x, shape), x.reshape(-1)[0]

    last, firsts = lax.scan(body, carried(d, b), rows)
    return last.reshape(shape).at[(0,) * len(shape)].set(firsts[-1])


def branched(d, b):
    yes = d.scalar(1) > d.scalar(1)
    return lax.cond(yes, lambda x: updated(d, x), lambda x: updated(d, x), b)


PLACES = [at_top] * 16 + [counted, bounded, stepped] * 2 + [scanned, branched]
BEFORE = (
    [lambda b: b] * 4
    + [lambda b: b[::-1], lambda b: lax.neg(b), lambda b: lax.optimization_barrier(b)]
    + [lambda b: b.reshape((2, -1)).reshape(b.shape) if b.size % 2 == 0 else b]
)
AFTER = (
    [lambda b: b[None]] * 30
    + [lambda b: b.reshape(-1)] * 3
    + [lambda b: b] * 3
    + [lambda b: b[..., None]] * 3
    + [lambda b: b[:, None], lambda b: b[None, ..., None]] * 2
    + [lambda b: b.T]
    + [lambda b: lax.bitcast_convert_type(b, f"uint{8 * b.dtype.itemsize}")] * 2
    + [lambda b: lax.neg(b)]
)


def array(rng, shape, kind):
    """All elements differ if the type has as many values."""
    numbers = np.random.default_rng(rng.randrange(1 << 60))
    size = int(np.prod(shape))
    if kind == "bfloat16":  # integers that it can hold
        values = numbers.permutation(np.arange(size) % 401) - 200
        return values.reshape(shape).astype(jnp.bfloat16)
    return numbers.permutation(size).reshape(shape).astype(kind)


def indices_program(number):
    """A program; more arrays for its first argument follow in `arrays_of`."""
    rng = random.Random(f"indices {number}")
    shape, kind = rng.choice(SHAPES), rng.choice(KINDS)
    kinds = [rng.choice(TYPES) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    place, before, after = rng.choice(PLACES), rng.choice(BEFORE), rng.choice(AFTER)
    flat, keeps = rng.random() < 0.3, rng.random() < 0.06
    loops = place not in (at_top, branched)
    exact = kind in ("int32", "uint8") or kind == "float32" and not loops
    state = rng.getstate()

    def function(x, *scalars):
        rng.setstate(state)
        b = before(x.reshape(shape))
        out = after(place(Draw(rng, scalars, exact), b))
        return (out, b) if keeps else out

    x = array(rng, shape, kind)
    arguments = [x.reshape(-1) if flat else x] + [np.asarray(0, k) for k in kinds]
    donated = (0,) if rng.random() < 0.35 else ()
    what = f"{kind}{list(shape)} {place.__name__} of {', '.join(kinds)}"
    return Program(f"indices_{number}", what, function, arguments, donated)


def arrays_of(program, count):
    """Other numbers for the array that is updated."""
    rng, x = random.Random(f"arrays {program.name}"), program.arguments[0]
    return [x] + [
        array(rng, x.shape, jax.dtypes.canonicalize_dtype(x.dtype).name)
        for _ in range(count - 1)
    ]
