"""Blocks that move and order elements, call libraries, or use other memory."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.random import threefry_2x32

from blocks import SETTINGS, block, squash

# Orders.


@block("opcode sort", "in place: sort of several operands")
def sorted_together(d):
    axis = d.rng.randrange(2)
    operands = [d.ints((8, 16)), d.floats((8, 16)), d.ints((8, 16), "int16")]
    operands = operands[: d.rng.randint(2, 3)]
    keys = d.rng.choice((1, 1, len(operands) if len(operands) == 1 else 1))
    return lax.sort(operands, dimension=axis, is_stable=True, num_keys=keys)


@block("opcode topk", "opcode sort")
def largest(d):
    if d.rng.random() < 0.3:
        return squash(lax.top_k(d.floats((4, 32)), 5)[0])
    values, places = lax.top_k(d.ints((4, 32)), d.rng.choice((1, 4, 32)))
    return [values, places]


@block("opcode sort", "opcode custom-call")
def nearly_largest(d):
    return lax.approx_max_k(d.ints((4, 32)).astype("float32"), 4)[0] * np.float32(1e-3)


@block("opcode gather", "opcode while")
def found_places(d):
    table = jnp.sort(d.ints((16,)))
    method = d.rng.choice(("scan", "sort", "compare_all"))
    return jnp.searchsorted(table, d.ints((8,)), method=method)


# Random numbers.


@block("opcode rng-bit-generator")
def random_bits(d):
    key, form = d.ints((4,), "uint32"), d.rng.randrange(3)
    if form == 2:
        return threefry_2x32(key[:2], lax.iota("uint32", 128)).reshape(8, 16)
    kinds = lax.RandomAlgorithm
    algorithm = d.rng.choice((kinds.RNG_DEFAULT, kinds.RNG_THREE_FRY, kinds.RNG_PHILOX))
    if form == 0:
        return list(lax.rng_bit_generator(key, (8, 16), algorithm=algorithm))
    counts = lax.rng_bit_generator(key, (8, 16), algorithm=algorithm)[1]
    return squash((counts >> 9).astype("float32") * np.float32(2**-23))


@block("opcode rng", "opcode rng-get-and-update-state")
def unsteady_numbers(d):
    if SETTINGS["platform"] == "cpu" and d.rng.random() < 0.9:
        return d.floats(d.shape())  # numbers of such a program cannot be judged
    return lax.rng_uniform(np.float32(0), np.float32(1), d.shape())


# Libraries.


@block("opcode fft")
def fourier(d):
    x = d.floats((8, 16))
    form = d.rng.randrange(4)
    if form == 0:
        out = jnp.fft.fft(x)
    elif form == 1:
        return squash(jnp.fft.irfft(jnp.fft.rfft(x) * 0.5))
    elif form == 2:
        out = jnp.fft.ifft2(lax.complex(x, d.floats((8, 16))))
    else:
        out = jnp.fft.rfft2(x)
    return out / (1 + jnp.abs(out))


def positive(d):
    a = d.floats((8, 8))
    return a @ a.T + 4 * jnp.eye(8, dtype=a.dtype)


@block("opcode cholesky", "opcode triangular-solve", "opcode custom-call")
def triangles(d):
    low = jnp.linalg.cholesky(positive(d))
    if d.rng.random() < 0.3:
        return squash(low)
    options = {"left_side": d.rng.random() < 0.5, "transpose_a": d.rng.random() < 0.5}
    out = lax.linalg.triangular_solve(low, d.floats((8, 8)), lower=True, **options)
    return squash(out)


@block("opcode custom-call", "in place: custom call")
def decomposed(d):
    x = positive(d)
    form = d.rng.randrange(4)
    if form == 0:
        return squash(jnp.linalg.solve(x, d.floats((8, 8))))
    if form == 1:
        return squash(jnp.linalg.eigvalsh(x))
    if form == 2:
        return squash(jnp.linalg.qr(x)[1])
    return squash(jnp.linalg.inv(x))


@block("opcode custom-call", "opcode send", "opcode recv", "opcode after-all")
def called_back(d):
    x = d.ints(d.shape())
    if SETTINGS["platform"] == "cuda":
        return x  # jax asks for a GPU
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda x: np.asarray(x) + 1, like, x)


@block("opcode custom-call", "in place: custom call", "alias: whole result")
def kernel(d):
    """A kernel that writes to its operand; interpreted on CPU."""
    from jax.experimental import pallas as pl  # pylint: disable=import-outside-toplevel

    def add(x, y, out):
        out[...] = x[...] + y[...]

    x, y = d.ints((8, 128)), d.ints((8, 128))
    run = pl.pallas_call(
        add,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        input_output_aliases={0: 0},
        interpret=SETTINGS["platform"] != "tpu",
    )
    return run(x, y)


# Other memory.


@block("memory space 5", "async: copy", "opcode copy-start")
def on_the_host(d):
    x = d.recent("fi")
    away = jax.device_put(x, jax.memory.Space.Host)
    if d.rng.random() < 0.3:
        d.pool.append(x + x)
    return jax.device_put(away, jax.memory.Space.Device) + jnp.ones((), x.dtype)


# Parts.


@block("opcode scatter", "in place: scatter", "in place: fusion that ends in a scatter")
def scattered(d):
    x = d.ints((16, 8))
    form = d.rng.randrange(8)
    places = (d.ints((4,)) & 15).at[0].set(d.rng.randrange(16))
    if form < 4:
        how = ("add", "multiply", "min", "max")[form]
        return getattr(x.at[places], how)(d.ints((4, 8)), mode=d.rng.choice(("drop", "clip")))
    if form == 4:
        return x.at[:, d.index(7)].set(x[:, 0])
    if form == 5:
        return jax.ops.segment_sum(x, d.ints((16,)) & 3, num_segments=4)
    if form == 6:
        update = jax.vmap(lambda row, i, new: lax.dynamic_update_slice(row, new, (i,)))
        return update(x, d.ints((16,)) & 7, x[:, :2] + 1)
    return x.at[places].apply(lambda old: old * 2 + 1, mode="drop", unique_indices=False)


@block("opcode gather")
def gathered(d):
    x = d.ints((16, 8))
    form = d.rng.randrange(5)
    if form == 0:
        return jnp.take(x, d.ints((5,)), axis=1, mode=d.rng.choice(("clip", "fill", "wrap")))
    if form == 1:
        return jnp.take_along_axis(x, d.ints((16, 3)) & 7, 1)
    if form == 2:
        return jax.vmap(lambda row, i: lax.dynamic_slice(row, (i,), (3,)))(x, d.ints((16,)))
    if form == 3:
        return x[d.ints((3,)) & 15, d.ints((3,)) & 7]
    return x.at[1:4].set(x[d.ints((3,)) & 15])


@block("opcode dynamic-slice", "in place: dynamic-update-slice")
def windows_of_itself(d):
    """A chain of updates by what other places of the same value hold."""
    x = d.fit(d.recent(), (8, 16), d.recent().dtype)
    for _ in range(d.rng.randint(1, 4)):
        rows, columns = d.rng.randint(1, 6), d.rng.randint(1, 16)
        to = d.index(8 - rows), d.index(16 - columns)
        start = d.index(8 - rows), d.index(16 - columns)
        part = lax.dynamic_slice(x, start, (rows, columns))
        if d.rng.random() < 0.3:
            part = part[::-1]
        x = lax.dynamic_update_slice(x, part, to)
    return [x, x.reshape(-1)] if d.rng.random() < 0.3 else x


@block("in place: dynamic-update-slice", "in place: fusion with an update in a tuple")
def shifted(d):
    """Updates of several values by each other's old elements."""
    x = d.recent(low=1)
    y = d.fit(d.recent(), x.shape, x.dtype)
    form = d.rng.randrange(5)
    if form == 0:
        return x.at[1:].set(x[:-1])[None], y
    if form == 1:
        return x.at[:-1].set(y[1:]), y.at[:-1].set(x[1:])
    if form == 2:
        return [jnp.concatenate([x[1:], y[:1]])]
    if form == 3:
        return x.at[0].set(y[-1]), x.at[-1].set(y[0]), x
    return [jnp.roll(x, 1, 0), x[::-1]]


@block("opcode pad", "opcode clamp", "opcode reverse", "opcode transpose", "opcode concatenate")
def moved(d):
    x = d.fit(d.recent("fi"), (8, 16), d.recent("fi").dtype)
    zero = jnp.zeros((), x.dtype)
    forms = (
        lambda: lax.pad(x, zero, ((1, -1, 1), (0, 0, 0))),
        lambda: lax.pad(x, zero, ((-2, 2, 0), (3, -3, 0))),
        lambda: lax.clamp(zero, x, jnp.ones((), x.dtype)),
        lambda: jnp.stack([x, x[::-1]], 1).reshape(16, 16),
        lambda: x.reshape(2, 4, 16).transpose(2, 0, 1),
        lambda: jnp.concatenate([x[:, 8:], x[:, :8]], 1),
        lambda: jnp.repeat(x, 2, 0)[1:9],
        lambda: jnp.tril(x),
        lambda: jnp.broadcast_to(x[2], x.shape),
    )
    return [form() for form in d.rng.sample(forms, 2)]


@block("in place: opt-barrier", "opcode opt-barrier")
def fenced(d):
    values = d.state()
    return lax.optimization_barrier(values)


@block("opcode map", "opcode while", "in place: state of a loop")
def each_row(d):
    x, seed = d.ints((8, 16)), d.rng.randrange(8)
    body = functools.partial(lambda i, row: row.at[1:].set(row[:-1]) + row[i], seed)
    return lax.map(body, x, batch_size=d.rng.choice((None, 2)))
