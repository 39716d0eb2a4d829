"""Random compositions of operations that may be compiled in place.

All is integer. Everything is drawn while jax traces, so a generator of the same state
gives the same program.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SHAPES = ((8, 16), (16, 8), (128,), (4, 32), (2, 8, 8), (6,), (5, 7))
TYPES = ("int32", "int32", "int32", "uint32", "int8", "int16")


def random_arguments(rng):
    numbers = np.random.default_rng(rng.randrange(1 << 60))
    out = []
    for _ in range(rng.randint(1, 3)):
        shape, kind = rng.choice(SHAPES), rng.choice(TYPES)
        out.append(numbers.integers(0, 120, shape).astype(kind))
    return out


def compose(rng, values):
    pool = list(values)
    for _ in range(rng.randint(2, 8)):
        pool.append(step(rng, pool, 0))
    made = pool[len(values) :]
    outputs = [made[-1]]
    for _ in range(rng.randint(0, 2)):
        outputs.append(rng.choice(pool))
    return tuple(outputs)


def recent(rng, pool):
    """One of the pool, newer ones more often."""
    return pool[-1 - min(int(rng.expovariate(0.7)), len(pool) - 1)]


def step(rng, pool, depth):
    b = recent(rng, pool)
    kinds = [updated] * 6 + [elementwise] * 3 + [moved] * 3 + [ordered]
    if depth < 2:
        kinds += [loop, loop, scanned, branched, called]
    return rng.choice(kinds)(rng, pool, b, depth)


def like(rng, pool, shape, dtype):
    """A value of this shape and type: one of the pool, or made of one."""
    same = [x for x in pool if x.shape == tuple(shape) and x.dtype == dtype]
    if same and rng.random() < 0.7:
        return rng.choice(same)
    b = recent(rng, pool).astype(dtype)
    size = int(np.prod(shape))
    if b.size >= size:
        start = rng.randrange(b.size - size + 1)
        return lax.slice(b.reshape(-1), (start,), (start + size,)).reshape(shape)
    times = -(-size // b.size)
    return jnp.tile(b.reshape(-1), times)[:size].reshape(shape)


def index(rng, pool, high):
    """A number in [0, high]: a constant, or computed from a value."""
    if rng.random() < 0.5:
        return rng.randint(0, high)
    b = recent(rng, pool).reshape(-1)
    number = b[rng.randrange(b.size)].astype(jnp.int32)
    return lax.rem(jnp.abs(lax.rem(number, np.int32(997))), np.int32(high + 1))


def window(rng, shape):
    """Sizes, and two starts, of a window of this shape; often close to each other."""
    sizes = [n if rng.random() < 0.4 else rng.randint(1, n) for n in shape]
    starts = [rng.randint(0, n - k) for n, k in zip(shape, sizes)]
    others = [
        min(max(s + rng.choice((-2, -1, 0, 0, 1, 1, 2)), 0), n - k)
        for s, n, k in zip(starts, shape, sizes)
    ]
    return sizes, starts, others


def updated(rng, pool, b, depth):
    del depth
    sizes, starts, others = window(rng, b.shape)
    source = rng.choice((b, b, b, like(rng, pool, b.shape, b.dtype)))
    update = lax.slice(source, others, [s + k for s, k in zip(others, sizes)])
    form = rng.randrange(9)
    if form == 0:
        update = lax.rev(update, [rng.randrange(b.ndim)])
    elif form == 1:
        update = update * 2 + 1
    elif form == 2:
        update = jnp.where(update > 5, update, update + 3)
    elif form == 3 and len(set(sizes)) == 1:
        update = update.T
    elif form == 4:
        update = jnp.broadcast_to(update.reshape(-1)[0], sizes)
    elif form == 5:
        update = lax.dynamic_slice(
            source, [index(rng, pool, n - k) for n, k in zip(b.shape, sizes)], sizes
        )
    how = rng.randrange(5)
    if how == 0:
        starts = [index(rng, pool, n - k) for n, k in zip(b.shape, sizes)]
    if how == 1:
        places = tuple(slice(s, s + k) for s, k in zip(starts, sizes))
        out = b.at[places].add(update)
    elif how == 2:
        rows = [(starts[0] + k) % b.shape[0] for k in range(sizes[0])]
        rng.shuffle(rows)
        out = b.at[jnp.array(rows)].set(jnp.resize(update, (sizes[0],) + b.shape[1:]))
    else:
        out = lax.dynamic_update_slice(b, update, starts)
    return behind(rng, out)


def behind(rng, b):
    """What jax writes after an update: forms that only change the shape."""
    form = rng.randrange(10)
    if form == 0:
        return b[None]
    if form == 1:
        return b.reshape(-1)
    if form == 2 and b.ndim > 1:
        return b.T
    if form == 3:
        return b[..., None]
    if form == 4 and b.shape[0] % 2 == 0:
        return b.reshape((2, b.shape[0] // 2) + b.shape[1:])
    return b


def elementwise(rng, pool, b, depth):
    del depth
    other = like(rng, pool, b.shape, b.dtype)
    form = rng.randrange(8)
    if form == 0:
        return b + other
    if form == 1:
        return b * 3 - other
    if form == 2:
        return jnp.maximum(b, other)
    if form == 3:
        return jnp.where(b > other, b, other + 1)
    if form == 4:
        return b ^ other
    if form == 5:
        return lax.bitcast_convert_type(b, jnp.dtype(f"u{b.dtype.itemsize}"))
    if form == 6:
        return b.astype(rng.choice(TYPES))
    return b + b.reshape(-1)[rng.randrange(b.size)]


def moved(rng, pool, b, depth):
    del depth
    axis = rng.randrange(b.ndim)
    form = rng.randrange(9)
    if form == 0:
        return jnp.roll(b, rng.randint(1, 3), axis)
    if form == 1:
        return lax.rev(b, [axis])
    if form == 2:
        return b.T
    if form == 3:
        other = like(rng, pool, b.shape, b.dtype)
        n = b.shape[axis]
        k = rng.randint(0, n)
        part = [
            lax.slice_in_dim(x, *ends, axis=axis)
            for x, ends in ((b, (k, n)), (other, (0, k)))
        ]
        return jnp.concatenate(part, axis)
    if form == 4:
        low = rng.randint(-1, 2)
        config = [(low, -low, 0) if d == axis else (0, 0, 0) for d in range(b.ndim)]
        return lax.pad(b, b.dtype.type(7), config)
    if form == 5:
        return b.reshape(-1).reshape(b.shape[::-1])
    if form == 6:
        return b[jnp.array([rng.randrange(b.shape[0]) for _ in range(b.shape[0])])]
    if form == 7:
        return jnp.broadcast_to(b.sum(axis, keepdims=True, dtype=b.dtype), b.shape)
    return like(rng, pool, rng.choice(SHAPES), b.dtype)


def ordered(rng, pool, b, depth):
    del pool, depth
    axis = rng.randrange(b.ndim)
    form = rng.randrange(3)
    if form == 0:
        return jnp.sort(b, axis=axis)
    if form == 1:
        return jnp.cumsum(b, axis=axis, dtype=b.dtype)
    order = jnp.argsort(b.reshape(-1), stable=True)
    return b.reshape(-1)[order].reshape(b.shape)


def carried(rng, pool, b):
    """What a loop or a branch takes: some values, this one first."""
    return (b,) + tuple(recent(rng, pool) for _ in range(rng.randint(0, 2)))


def body_of(rng, state, outside, depth):
    """New values for all of the state, some exchanged, some forwarded."""
    pool = list(outside) + list(state)
    for _ in range(rng.randint(1, 4)):
        pool.append(step(rng, pool, depth + 1))
    new = []
    for x in state:
        same = [y for y in pool if y.shape == x.shape and y.dtype == x.dtype]
        last = pool[-1]
        if rng.random() < 0.3 or last.size != x.size:
            new.append(rng.choice(same))
        else:
            new.append(last.reshape(x.shape).astype(x.dtype))
    return tuple(new)


def loop(rng, pool, b, depth):
    state, rounds = carried(rng, pool, b), rng.randint(1, 4)
    seed = rng.randrange(1 << 60)
    outside = [recent(rng, pool)] if rng.random() < 0.3 else []

    def body(i, state):
        inner = type(rng)(seed)
        given = outside + ([i.reshape(1)] if inner.random() < 0.6 else [])
        return body_of(inner, state, given, depth)

    if rng.random() < 0.5:
        state = lax.fori_loop(0, rounds, body, state)
    else:
        _, state = lax.while_loop(
            lambda s: s[0] < rounds,
            lambda s: (s[0] + 1, body(s[0], s[1])),
            (jnp.int32(0), state),
        )
    pool.extend(state[1:])
    return state[0]


def scanned(rng, pool, b, depth):
    state = carried(rng, pool, b)
    rows = recent(rng, pool)
    seed = rng.randrange(1 << 60)

    def body(state, row):
        inner = type(rng)(seed)
        new = body_of(inner, state, [row] if row.ndim else [row.reshape(1)], depth)
        return new, inner.choice(new)

    state, stacked = lax.scan(body, state, rows[:6], reverse=rng.random() < 0.3)
    pool.extend(state[1:])
    pool.append(state[0])
    return stacked if stacked.size <= 2048 else state[0]


def branched(rng, pool, b, depth):
    state = carried(rng, pool, b)
    count = rng.choice((2, 2, 3))
    seeds = [rng.randrange(1 << 60) for _ in range(count)]

    def branch(seed):
        return lambda *state: body_of(type(rng)(seed), state, [], depth)

    which = index(rng, pool, count - 1)
    if isinstance(which, int):
        which = jnp.abs(recent(rng, pool).reshape(-1)[0].astype(jnp.int32) % 2)
    state = lax.switch(which, [branch(s) for s in seeds], *state)
    pool.extend(state[1:])
    return state[0]


def called(rng, pool, b, depth):
    state = carried(rng, pool, b)
    seed = rng.randrange(1 << 60)

    def function(*state):
        return body_of(type(rng)(seed), state, [], depth)

    state = rng.choice((jax.jit, jax.checkpoint))(function)(*state)
    if rng.random() < 0.2:
        state = lax.optimization_barrier(state)
    pool.extend(state[1:])
    return state[0]
