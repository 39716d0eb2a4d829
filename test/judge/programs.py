"""Programs for the judge: what a name or a seed means, as functions of jax.

A program updates small arrays in place, or could be compiled so. Directed programs are
combinations of an update, what is before and after it, where it runs, and what is
returned; random ones are compositions. The same number is the same program everywhere.
"""

import dataclasses
import random
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from compositions import compose, random_arguments


@dataclasses.dataclass
class Program:
    name: str
    what: str
    function: Callable
    arguments: list[Any]
    donated: tuple = ()
    specs: Any = None  # of the arguments, for a program of several devices
    close: bool = False  # floats are rounded: numbers only have to be close


# Updates: an array of two dimensions and an index, which is 0, 1 or 2 when it runs.


def window(b):
    return max(b.shape[0] // 2, 1), b.shape[1]


def dynamic_window(b, i, to):
    return lax.dynamic_update_slice(b, lax.dynamic_slice(b, (i, 0), window(b)), (to, 0))


def swapped(b, i):
    return b.at[i].set(b[i + 1]).at[i + 1].set(b[i])


def two_windows(b, i):
    low, high = b[:2], b[2:4]
    return lax.dynamic_update_slice(
        lax.dynamic_update_slice(b, high, (0, 0)), low, (2 + i * 0, 0)
    )


UPDATES = {
    "down": lambda b, i: b.at[1:].set(b[:-1]),
    "down2": lambda b, i: b.at[2:].set(b[:-2]),
    "up": lambda b, i: b.at[:-1].set(b[1:]),
    "right": lambda b, i: b.at[:, 1:].set(b[:, :-1]),
    "left": lambda b, i: b.at[:, :-2].set(b[:, 2:]),
    "diagonal": lambda b, i: b.at[1:, 1:].set(b[:-1, :-1]),
    "mid": lambda b, i: lax.dynamic_update_slice(b, b[: window(b)[0]], (1, 0)),
    "near": lambda b, i: b.at[1:3].set(b[0:2]),
    "apart": lambda b, i: b.at[2:4].set(b[0:2]),
    "row": lambda b, i: b.at[i].set(b[0]),
    "row_of_rows": lambda b, i: b.at[1:].set(b[0]),
    "own_row": lambda b, i: b.at[i].set(b[i] * 3),
    "next_row": lambda b, i: b.at[i].set(b[i + 1] + 1),
    "flip": lambda b, i: b.at[:].set(b[::-1]),
    "flip_window": lambda b, i: b.at[:3].set(b[2::-1]),
    "flip_columns": lambda b, i: b.at[1].set(b[1, ::-1]),
    "stride": lambda b, i: b.at[::2].set(b[1::2]),
    "stride_columns": lambda b, i: b.at[:, 1::2].set(b[:, ::2]),
    "select": lambda b, i: b.at[1:].set(jnp.where(b[:-1] > 3, b[:-1], b[1:])),
    "add": lambda b, i: b.at[1:].add(b[:-1]),
    "maximum": lambda b, i: b.at[1:].max(b[:-1]),
    "dynamic": lambda b, i: dynamic_window(b, i * 0, i),
    "dynamic_same": lambda b, i: dynamic_window(b, i, i),
    "dynamic_next": lambda b, i: dynamic_window(b, i + 1, i),
    "dynamic_clamped": lambda b, i: dynamic_window(b, i + 90, i - 5),
    "two": lambda b, i: b.at[1:].set(b[:-1]).at[:-1].set(b[1:]),
    "two_windows": two_windows,
    "swap": swapped,
    "roll": lambda b, i: b.at[:].set(jnp.roll(b, 1, 0)),
    "transpose": lambda b, i: b.at[:2, :2].set(b[:2, :2].T),
    "column_in_row": lambda b, i: b.at[0, : min(b.shape)].set(b[: min(b.shape), 0]),
    "broadcast": lambda b, i: b.at[:3].set(jnp.broadcast_to(b[2], (3, b.shape[1]))),
    "one_for_all": lambda b, i: b.at[:2].set(b[1, 1]),
    "sum_in_row": lambda b, i: b.at[0].set(b.sum(0)),
    "sums_of_rows": lambda b, i: b.at[:, 0].set(b.sum(1)),
    "sort_rows": lambda b, i: b.at[1:].set(jnp.sort(b[:-1], axis=0)),
    "cumsum": lambda b, i: b.at[1:].set(jnp.cumsum(b, 0)[:-1]),
    "concatenate": lambda b, i: jnp.concatenate([b[1:], b[:1]]).at[0].set(b[0]),
    "concatenate_in": lambda b, i: b.at[:3].set(jnp.concatenate([b[1:3], b[:1]])),
    "pad": lambda b, i: b.at[:].set(jnp.pad(b[:-1], ((1, 0), (0, 0)))),
    "pad_less": lambda b, i: b.at[:3].set(
        lax.pad(b, b[0, 0], ((-1, 4 - b.shape[0], 0), (0, 0, 0)))
    ),
    "scatter": lambda b, i: b.at[jnp.stack([i, i + 1])].set(b[1:3]),
    "scatter_add": lambda b, i: b.at[jnp.array([1, 0, 1])].add(b[:3]),
    "scatter_points": lambda b, i: b.at[jnp.array([0, 2]), jnp.array([1, 0])].set(
        b[1, :2]
    ),
    "gather": lambda b, i: b.at[:2].set(b[jnp.stack([i + 1, i])]),
    "other_sign": lambda b, i: lax.bitcast_convert_type(
        lax.bitcast_convert_type(b, unsigned(b))
        .at[1:]
        .set(lax.bitcast_convert_type(b, unsigned(b))[:-1]),
        b.dtype,
    ),
    "clip": lambda b, i: b.at[1:].set(jnp.clip(b[:-1], 2, 90)),
    "three": lambda b, i: b.at[0].set(b[1]).at[1].set(b[2]).at[2].set(b[0]),
    "of_old": lambda b, i: (b + 1).at[1:].set(b[:-1]),
    "of_new": lambda b, i: b.at[1:].set((b * 3)[:-1]),
    "reshaped_rows": lambda b, i: b.reshape(-1)
    .at[3:]
    .set(b.reshape(-1)[:-3])
    .reshape(b.shape),
}


def unsigned(b):
    return jnp.dtype(f"u{b.dtype.itemsize}")


BEFORE = {
    "": lambda b: b,
    "plus": lambda b: b + 1,
    "transposed": lambda b: b.T.T * 1,
    "reversed": lambda b: b[::-1],
    "copied": lambda b: lax.optimization_barrier(b),
    "swapped": lambda b: b.T.reshape(b.shape),
}
AFTER = {
    "": lambda b: b,
    "none": lambda b: b[None],
    "flat": lambda b: b.reshape(-1),
    "transposed": lambda b: b.T,
    "plus": lambda b: b + 1,
    "bits": lambda b: lax.bitcast_convert_type(b, unsigned(b)),
    "inner": lambda b: b[:, None, :],
    "split": lambda b: b.reshape(b.shape[0] // 2, 2, b.shape[1]),
    "none_transposed": lambda b: b[None].transpose(2, 0, 1),
    "wider": lambda b: jnp.concatenate([b, b[:1]]),
}


def in_jvp(f):
    @jax.custom_jvp
    def g(b, i):
        return f(b, i)

    g.defjvp(lambda p, t: (g(*p), t[0]))
    return g


def in_while(f):
    def run(b, i):
        state = lax.while_loop(
            lambda s: s[0] < 3, lambda s: (s[0] + 1, f(s[1], s[0] % 2)), (i * 0, b)
        )
        return state[1]

    return run


def in_scan_rows(f):
    def step(carry, row):
        new = f(carry, row[0].astype(jnp.int32) % 2)
        return new + row, new[1]

    def run(b, i):
        last, rows = lax.scan(step, b, b[:3])
        return last.at[: rows.shape[0]].add(rows)

    return run


PLACES = {
    "": lambda f: f,
    "jit": jax.jit,
    "custom_jvp": in_jvp,
    "checkpoint": jax.checkpoint,
    "fori": lambda f: lambda b, i: lax.fori_loop(0, 3, lambda k, c: f(c, k % 2), b),
    "while": in_while,
    "scan": lambda f: lambda b, i: lax.scan(
        lambda c, _: (f(c, i), None), b, None, length=2
    )[0],
    "scan_rows": in_scan_rows,
    "cond": lambda f: lambda b, i: lax.cond(i > 0, f, lambda b, i: b * 2, b, i),
    "cond_both": lambda f: lambda b, i: lax.cond(
        i > 0, f, lambda b, i: b.at[0].set(b[1]), b, i
    ),
    "switch": lambda f: lambda b, i: lax.switch(
        i, [lambda b: b, lambda b: f(b, i), lambda b: f(f(b, i), i)], b
    ),
    "twice": lambda f: lambda b, i: f(f(b, i), i),
    "loop_in_cond": lambda f: lambda b, i: lax.cond(
        i > 0,
        lambda b: lax.fori_loop(0, 2, lambda k, c: f(c, k), b),
        lambda b: b,
        b,
    ),
    "cond_in_loop": lambda f: lambda b, i: lax.fori_loop(
        0, 3, lambda k, c: lax.cond(k == i, lambda c: f(c, i), lambda c: c + 1, c), b
    ),
}
RESULTS = {
    "": lambda b, y, g: y,
    "old": lambda b, y, g: (y, b),
    "old_row": lambda b, y, g: (y, b[0] + 1),
    "old_sum": lambda b, y, g: (y, b.sum(0)),
    "more": lambda b, y, g: (y, y * 2),
    "again": lambda b, y, g: (y, g(b)),
    "difference": lambda b, y, g: y.reshape(-1)[: b.size // 2]
    - b.reshape(-1)[: b.size // 2].astype(y.dtype),
    "twin": lambda b, y, g: (y, y),
}
SHAPES = ((8, 16), (16, 16), (4, 32), (32, 4), (6, 10), (8, 128))
TYPES = ("int32", "int32", "int32", "uint8", "int16", "float32")


def directed(number):
    """Every update in turn; the rest follows the number's own random choices."""
    rng = random.Random(f"directed {number}")
    update = list(UPDATES)[number % len(UPDATES)]
    plain = number < len(UPDATES) * len(AFTER)
    before = "" if plain else rng.choice(list(BEFORE))
    after = list(AFTER)[number // len(UPDATES) % len(AFTER)]
    place = "" if plain else rng.choice(list(PLACES))
    result = "" if plain else rng.choice(list(RESULTS))
    shape, kind = rng.choice(SHAPES), rng.choice(TYPES)
    if kind == "float32" and (update in ("of_new", "own_row") or place):
        kind = "int32"  # floats stay small integers: every sum is exact
    inner = PLACES[place](UPDATES[update])

    def g(b):
        return BEFORE[before](b) * 2

    def function(b, i):
        return RESULTS[result](b, AFTER[after](inner(BEFORE[before](b), i)), g)

    values = np.random.default_rng(number).permutation(int(np.prod(shape))) % 120
    arguments = [values.reshape(shape).astype(kind), np.int32(rng.randrange(3))]
    donated = (0,) if rng.random() < 0.3 else ()
    what = "/".join(filter(None, (update, before, after, place, result)))
    what += f" {kind}{list(shape)}" + (" donated" if donated else "")
    return Program(f"directed_{number}", what, function, arguments, donated)


def randomized(seed):
    rng = random.Random(f"random {seed}")
    arguments = random_arguments(rng)
    donated = tuple(k for k in range(len(arguments)) if rng.random() < 0.25)
    if len(arguments) > 1 and not donated and rng.random() < 0.1:
        arguments[1] = arguments[0]  # the caller passes one array twice
    inner = rng.randrange(1 << 60)

    def function(*values):
        return compose(random.Random(inner), values)

    return Program(f"random_{seed}", f"seed {seed}", function, arguments, donated)


def program(name):
    """The program of a name, as printed in the table: directed_N, random_N, varied_N
    or, for four devices, sharded_N."""
    kind, _, number = name.partition("_")
    if kind in ("varied", "sharded"):
        from varied import varied  # pylint: disable=import-outside-toplevel

        return varied(kind, int(number), Program)
    return {"directed": directed, "random": randomized}[kind](int(number))
