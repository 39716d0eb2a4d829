"""Blocks whose bodies are other blocks, and those that several devices do together."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from blocks import SETTINGS, block, kind_of, squash

# Loops, branches, calls. The blocks that follow in the list are the body.


@block("in place: state of a loop", "opcode while")
def loop(d):
    state, names, seed = d.state(), d.take(), d.rng.getstate()
    rounds = d.rng.randint(1, 4)

    def body(i, state):
        d.rng.setstate(seed)
        return d.body(state, [jnp.reshape(i, (1,))], names)

    if d.rng.random() < 0.5:
        return lax.fori_loop(0, rounds, body, state)
    start = jnp.abs(d.index(2)).astype("int32")
    step = lambda s: (s[0] + 1, body(s[0], s[1]))
    return lax.while_loop(lambda s: s[0] < 3, step, (start, state))[1]


@block("in place: state of a loop", "in place: fusion that ends in an update")
def scan(d):
    state, names, rows = d.state(), d.take(), d.recent(low=1)
    seed = d.rng.getstate()
    reverse, unroll = d.rng.random() < 0.3, d.rng.choice((1, 1, 2))

    def body(state, row):
        d.rng.setstate(seed)
        new = d.body(state, [jnp.atleast_1d(row)], names)
        return new, new[0]

    state, stacked = lax.scan(body, state, rows[:6], reverse=reverse, unroll=unroll)
    return [*state, stacked]


@block("in place: result of a conditional", "opcode conditional")
def branches(d):
    state, count = d.state(), d.rng.choice((2, 2, 3))
    names = [d.take(2) for _ in range(count)]
    which, seed = d.index(count - 1), d.rng.getstate()

    def branch(k):
        def run(*state):
            d.rng.setstate(seed)
            return d.body(state, [], names[k])

        return run

    which = jnp.asarray(which, "int32") + d.ints((1,))[0] * 0
    return lax.switch(which, [branch(k) for k in range(count)], *state)


@block("in place: call", "opcode call")
def call(d):
    state, names, seed = d.state(), d.take(), d.rng.getstate()

    def run(*state):
        d.rng.setstate(seed)
        return d.body(state, [], names)

    once = d.rng.choice((jax.jit, jax.checkpoint))(run)
    again = once(*once(*state)) if d.rng.random() < 0.5 else ()
    return [*once(*state), *again]


@block("opcode select-and-scatter", "opcode while", "opcode transpose")
def gradient(d):
    """Of a sum of all that the blocks make."""
    x, names, seed = d.floats(d.shape()), d.take(2), d.rng.getstate()
    able = [name for name in names if name not in NOT_DERIVED]

    def loss(x):
        d.rng.setstate(seed)
        (new,) = d.body((x,), [], able)
        return jnp.sum(jnp.sin(new))

    return squash(jax.grad(loss)(x))


# What has no derivative, or none in a loop whose rounds are not known.
NOT_DERIVED = {"kernel", "called_back", "loop", "decomposed", "windows", "on_the_host"}
NOT_DERIVED |= {"random_bits", "nearly_largest", "pooled", "unsteady_numbers"}

# Collectives, within a shard_map over the axis x of four devices.

AXIS, DEVICES = "x", 4


def shared(d):
    """A value to exchange; where devices may take different ways, nothing is."""
    return d.recent("fi", low=1) if d.agreed else None


@block("opcode all-reduce", "in place: all-reduce", "async: all-reduce")
def all_reduce(d):
    x = shared(d)
    if x is None:
        return d.ints((8,))
    how = d.rng.randrange(4)
    if how == 0 and kind_of(x) == "i":
        return [lax.pmax(x, AXIS), lax.pmin(x, AXIS)]
    if how == 1:
        y = d.floats((8, 16))
        a, b = lax.psum((d.floats(x.shape), y), AXIS)
        return squash(a), squash(b)
    groups = [[0, 1], [2, 3]] if how == 2 else None
    out = lax.psum(x, AXIS, axis_index_groups=groups)
    return squash(out) if kind_of(x) == "f" else out


@block("opcode all-gather", "async: all-gather")
def all_gather(d):
    x = shared(d)
    if x is None:
        return d.ints((8,))
    axis = d.rng.randrange(x.ndim)
    return lax.all_gather(x, AXIS, axis=axis, tiled=d.rng.random() < 0.5)


@block("opcode reduce-scatter", "async: reduce-scatter")
def reduce_scatter(d):
    if not d.agreed:
        return d.ints((8,))
    draw = d.rng.choice((d.ints, d.floats))
    out = lax.psum_scatter(draw((8, 16)), AXIS, scatter_dimension=d.rng.randrange(2), tiled=True)
    return squash(out) if draw == d.floats else out


@block("opcode all-to-all", "async: all-to-all")
def all_to_all(d):
    if not d.agreed:
        return d.ints((8,))
    ends = d.rng.choice(((0, 0), (0, 1), (1, 0)))
    return lax.all_to_all(d.ints((8, 16)), AXIS, *ends, tiled=True)


@block("opcode collective-permute", "in place: collective-permute", "async: collective-permute")
def permute(d):
    x = shared(d)
    if x is None:
        return d.ints((8,))
    step = d.rng.choice((1, 1, 2, 3))
    ways = [(i, (i + step) % DEVICES) for i in range(DEVICES)]
    if d.rng.random() < 0.2:
        ways = ways[:2]
    out = lax.ppermute(x, AXIS, ways)
    return [out, lax.ppermute(out, AXIS, ways)] if d.rng.random() < 0.3 else out


@block("opcode partition-id", "opcode replica-id")
def own_number(d):
    if not d.sharded:
        return d.ints((8,))
    me = lax.axis_index(AXIS)
    return lax.dynamic_slice_in_dim(d.ints((8, 16)), me * 2, 2), d.ints((8,)) + me


@block("opcode all-gather", "opcode collective-permute", "in place: state of a loop")
def ring(d):
    """A loop with an exchange in each round, as for products of sharded matrices."""
    if not d.agreed:
        return d.ints((8,))
    x, total = d.ints((8, 16)), d.ints((8, 16))
    ways = [(i, (i + 1) % DEVICES) for i in range(DEVICES)]
    names, seed = d.take(1), d.rng.getstate()

    def body(_, state):
        d.rng.setstate(seed)
        x, total = state
        (more,) = d.body((x,), [total], names)
        return lax.ppermute(x, AXIS, ways), total + more

    return lax.fori_loop(0, DEVICES, body, (x, total))


@block("opcode ragged-all-to-all")
def ragged(d):
    if not d.agreed or SETTINGS["platform"] == "cpu":
        return d.ints((8,))
    x, out = d.ints((8, 4)), d.ints((8, 4))
    sizes, starts = np.full(4, 2, "int32"), np.arange(0, 8, 2, dtype="int32")
    me = jnp.full((4,), lax.axis_index(AXIS) * 2, "int32")
    return lax.ragged_all_to_all(x, out, starts, sizes, me, sizes, axis_name=AXIS)


COLLECTIVE = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute"}
COLLECTIVE |= {"own_number", "ring", "ragged"}
