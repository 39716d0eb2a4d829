"""Scalars that are known only at run time: expressions of them, and values to run.

All is integer and wraps around, as it does in the compiled program. Nothing divides by
what may be zero.
"""

import itertools

import jax.numpy as jnp
import numpy as np
from jax import lax

TYPES = ("int32",) * 6 + ("int8", "uint8", "int16", "uint16", "uint32")
NUMBERS = (-40, -9, -7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 9, 13, 40, 64, 100)


def number(like, n):
    """A constant of the type of this value; it wraps."""
    return np.asarray(n).astype(like.dtype)


def expression(rng, scalars, depth):
    """A scalar of some integer type, of these and of constants."""
    if depth == 0 or rng.random() < 0.25:
        if rng.random() < 0.08:
            return jnp.int32(rng.choice(NUMBERS))
        return rng.choice(scalars)
    a = expression(rng, scalars, depth - 1)

    def other():
        return expression(rng, scalars, depth - 1).astype(a.dtype)

    return rng.choice(STEPS)(rng, a, other)


def add_number(rng, a, _):
    return lax.add(a, number(a, rng.choice(NUMBERS)))


def add(_, a, other):
    return lax.add(a, other())


def subtract(_, a, other):
    return lax.sub(a, other())


def times_number(rng, a, _):
    return lax.mul(a, number(a, rng.choice((-3, -1, 2, 3, 4, 7, 8, 16, 127))))


def times(_, a, other):
    return lax.mul(a, other())


def quotient(rng, a, _):
    by = number(a, rng.choice((2, 3, 4, 5, 7, 8)))
    return lax.div(a, by) if rng.random() < 0.5 else jnp.floor_divide(a, by)


def remainder(rng, a, _):
    by = number(a, rng.choice((2, 3, 4, 5, 7, 8, 16)))
    return lax.rem(a, by) if rng.random() < 0.5 else jnp.remainder(a, by)


def at_least(rng, a, other):
    return lax.max(a, other() if rng.random() < 0.3 else number(a, rng.randint(0, 6)))


def at_most(rng, a, other):
    return lax.min(a, other() if rng.random() < 0.3 else number(a, rng.randint(0, 9)))


def clipped(rng, a, _):
    low = rng.randint(0, 5)
    return lax.clamp(number(a, low), a, number(a, low + rng.randint(1, 9)))


def selected(rng, a, other):
    limit = other() if rng.random() < 0.3 else number(a, rng.choice(NUMBERS))
    compare = rng.choice((lax.lt, lax.ge, lax.eq, lax.ne, lax.gt, lax.le))
    changed = (
        other() if rng.random() < 0.4 else lax.add(a, number(a, rng.choice((1, 3, 9))))
    )
    return lax.select(compare(a, limit), changed, a)


def shifted_left(rng, a, _):
    return lax.shift_left(a, number(a, rng.randint(1, 5)))


def shifted_right(rng, a, _):
    shift = rng.choice((lax.shift_right_arithmetic, lax.shift_right_logical))
    return shift(a, number(a, rng.randint(1, 5)))


def masked(rng, a, _):
    return lax.bitwise_and(a, number(a, rng.choice((1, 3, 7, 15, 31))))


def negated(_, a, __):
    return lax.neg(a)


def magnitude(_, a, __):
    return jnp.abs(a)


def narrowed(rng, a, _):
    return lax.convert_element_type(a, rng.choice(("int8", "uint8", "int16", "int32")))


STEPS = (
    [add_number] * 4
    + [add, subtract, times_number, quotient, remainder, selected] * 2
    + [at_least, at_most, clipped, shifted_left, shifted_right, masked]
    + [times, negated, magnitude, narrowed]
)


# Values. Most are close to the places where windows begin, end, touch or are clamped.


def one_value(rng, kind, size):
    """One of this type; the array has dimensions up to this size."""
    limits = np.iinfo(kind)
    way = rng.random()
    if way < 0.62:
        n = rng.randint(-2, size + 2)
    elif way < 0.8:
        n = rng.randint(-3 * size, 4 * size)
    elif way < 0.9:
        n = rng.choice(NUMBERS)
    elif way < 0.95:
        n = rng.choice((limits.min, limits.max)) + rng.randint(-size, size)
    else:
        n = rng.randint(int(limits.min), int(limits.max))
    return int(np.asarray(n).astype(kind))


def choices(rng, kinds, size, count):
    """Tuples of values, each another one, one for each type."""
    chosen = {}
    if len(kinds) == 1:
        walk = range(-size // 4, -size // 4 + count * 2 // 3)
        chosen.update(((int(np.asarray(n).astype(kinds[0])),), None) for n in walk)
    for _ in range(count * 20):
        if len(chosen) >= count:
            break
        values = [one_value(rng, kind, size) for kind in kinds]
        # Windows meet where scalars are close to each other.
        for a, b in itertools.combinations(range(len(kinds)), 2):
            if rng.random() < 0.3:
                near = values[a] + rng.randint(-2, 2)
                values[b] = int(np.asarray(near).astype(kinds[b]))
        chosen[tuple(values)] = None
    return list(chosen)
