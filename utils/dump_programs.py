"""The programs that make-dumps.py compiles: small jax functions, one for each
thing that buffer assignment does with memory.

A named program is a function with the decorator @program, which says the shapes
of its arguments; the first line of its docstring is what --list shows. Programs
that need several devices get a mesh of four as their first argument.
random_program(seed) makes as many more as one likes, the same for the same seed.
Nothing here is ever executed: arguments are shapes.
"""

import functools
import random

import jax
import jax.numpy as jnp
from jax import lax

DEVICES = 4
AXIS = "ring"
NAMED = {}


class Program:
    """A function, the shapes of its arguments and what the compiler is told."""

    def __init__(self, function, arguments, donate=(), on="cpu tpu", mesh=False):
        self.function = function
        self.arguments = arguments
        self.donate = donate
        self.platforms = on.split()
        self.mesh = mesh

    def bound_to(self, mesh):
        """The function without its argument for the mesh, if it has one."""
        if not self.mesh:
            return self.function

        @functools.wraps(self.function)
        def function(*arguments):
            return self.function(mesh, *arguments)

        del function.__wrapped__  # or jax would look for an argument `mesh`
        return function


def shape(*dimensions, dtype="float32"):
    return jax.ShapeDtypeStruct(dimensions, dtype)


def program(*arguments, **options):
    def register(function):
        NAMED[function.__name__] = Program(function, arguments, **options)
        return function

    return register


# -- loops and branches ------------------------------------------------------


@program(shape(128), shape(8, 128))
def broadcast_of_old_vector(a, b):
    """miscompiled for TPU: the old vector is read after the new one was written"""
    return lax.fori_loop(0, 3, lambda i, c: (c[1][0], jnp.broadcast_to(c[0], c[1].shape)), (a, b))


@program(shape(16, 128), shape(16, 128), shape(128, 128))
def momentum(position, velocity, matrix):
    """a loop with a counter and three states, one of them swapped in each round"""

    def step(state):
        n, x, v, energy = state
        v = 0.9 * v - jnp.tanh(x @ matrix)
        return n + 1, x + v, x, energy + jnp.vdot(v, v)

    return lax.while_loop(lambda s: (s[0] < 20) & (s[3] < 1e6), step, (0, position, velocity, 0.0))


@program(shape(32, 32), shape(dtype="int32"))
def branch_in_loop(x, n):
    """a conditional inside a loop; one branch passes its operands through"""

    def step(i, pair):
        return lax.cond(i % 3 == 0, lambda p, q: (q, p), lambda p, q: (p @ q, q + 1), *pair)

    return lax.fori_loop(0, n, step, (x, x.T))


@program(shape(dtype="int32"), shape(64, 48), shape(64, 48))
def four_branches(index, x, y):
    """a conditional with four branches of very different size"""
    branches = [
        lambda x, y: x,
        lambda x, y: x - y,
        lambda x, y: jnp.cumsum(x, 0) * y,
        lambda x, y: (x @ y.T) @ jnp.exp(x),
    ]
    return lax.switch(index, branches, x, y)


@program(shape(12, 24, 24), shape(6, 24))
def recurrent_gradient(weights, x):
    """two loops that share a stack of saved states: a scan and its derivative"""

    def loss(weights):
        final, kept = lax.scan(lambda h, w: (jnp.tanh(h @ w), h.sum()), x, weights)
        return (final**2).sum() + kept.sum()

    return jax.value_and_grad(loss)(weights)


# -- waste -------------------------------------------------------------------


@program(shape(64, 64), shape(64, 64))
def waste_donation(weights, gradient):
    """A result that could take the memory of an argument."""
    return weights - 0.1 * gradient


@program(shape(64, 64), shape(64, 8), donate=(0,))
def waste_donated(x, weights):
    """A donated argument whose memory nobody takes."""
    return (x @ weights).sum(0)


@program(shape(64, 64), shape(1, 64), shape(dtype="int32"))
def waste_cache(cache, row, at):
    """An argument that is updated in place, and copied before."""
    return lax.dynamic_update_slice(cache, row, (at, 0))


@program(shape(64, 64), shape(64, 64))
def waste_returned(x, y):
    """A result that is an argument."""
    return lax.optimization_barrier(x), jnp.tanh(y)


@program(shape(64, 64), shape(1, 64), shape(dtype="int32"))
def waste_copy(x, row, at):
    """A value that is read after it was updated."""
    old = x @ x
    new = lax.dynamic_update_slice(old, row, (at, 0)) @ x
    new, old = lax.optimization_barrier((new, old))
    return jnp.sum(new @ x) + jnp.sum(old @ x)


@program(shape(64, 64), shape(8, 64))
def waste_stored(w, xs):
    """A scan that stores one value in each trip."""
    h, ws = lax.scan(lambda h, x: (jnp.tanh(h @ w + x), w), xs[0], xs)
    return h, (ws * h[None, :, None]).sum()


@program(shape(64, 64), shape(64, 64), donate=(0,))
def waste_copied_back(x, row):
    """A donated argument whose result is made elsewhere, and copied back."""
    return jnp.concatenate([row[:1], x[1:]])


def gradient_with_checkpoints(ws, x, count):
    """Of layers alike, with count of them in one checkpoint."""

    @jax.checkpoint
    def layers(ws, x):
        for w in ws:
            x = jnp.sin(x @ w) * x
        return x

    def loss(ws):
        y = x
        for i in range(0, len(ws), count):
            y = layers(ws[i : i + count], y)
        return (y * y).sum()

    return jax.grad(loss)(ws)


@program(shape(8, 32, 32), shape(65536, 32))
def waste_recomputed(ws, x):
    """One checkpoint that is around eight layers, which are held at once."""
    return gradient_with_checkpoints(ws, x, 8)


@program(shape(8, 32, 32), shape(65536, 32))
def recomputed_in_parts(ws, x):
    """Four checkpoints, each around two layers."""
    return gradient_with_checkpoints(ws, x, 2)


@program(shape(64, 64))
def waste_constant(x):
    """An array that is part of the program."""
    return x @ jnp.asarray([[(3 * i + 7 * j) % 11 for j in range(64)] for i in range(64)], "float32")


# -- memory that is used again -----------------------------------------------


@program(shape(64, 96), shape(64, 96), shape(10), donate=(0, 1))
def donation(x, y, z):
    """donated arguments that leave as results, one of them in the other's place"""
    return y, x * 2 + y, z + 1


@program(shape(256, 64), shape(4, 64), shape(dtype="int32"), donate=(0,))
def update_donated(table, rows, at):
    """a slice of a donated table is replaced in place, then read"""
    table = lax.dynamic_update_slice(table, rows, (at, 0))
    return table, lax.dynamic_slice(table, (at + 1, 0), (2, 64))


@program(shape(8, 16, dtype="int32"), on="cpu")
def shift_row(x):
    """miscompiled for CPU: rows are read after they were overwritten in place"""
    return x.at[1:].set(x[:-1])[None]


@program(shape(40, 128), shape(40, 128))
def update_in_loop(table, source):
    """a loop that writes its state row by row"""

    def step(i, t):
        row = lax.dynamic_slice(source, (i, 0), (1, 128)) + lax.dynamic_slice(t, (i, 0), (1, 128))
        return lax.dynamic_update_slice(t, row, (39 - i, 0))

    return lax.fori_loop(0, 40, step, table)


@program(shape(512, 16), shape(60, dtype="int32"), shape(60, 16), donate=(0,))
def scatter_and_gather(table, rows, values):
    """scatter into a donated table, with duplicates, and gather from the result"""
    table = table.at[rows].add(values)
    return table, table[rows[::2]].max(0)


@program([shape(20, 12) for _ in range(9)])
def tuples(parts):
    """many small results, nested, one of them twice and one a plain argument"""
    total = sum(parts)
    return {"all": [p * total for p in parts], "same": (parts[0], total, total)}


# -- operators with buffers of their own -------------------------------------


@program(shape(3000), shape(3000, dtype="int32"))
def sort_pairs(keys, payload):
    """a sort of two arrays at once, and the ten largest"""
    return lax.sort((keys, payload), num_keys=1), lax.top_k(keys, 10)


@program(shape(700, 9))
def reductions(x):
    """reductions of one and of several values, over either dimension"""

    def both(a, b):
        return jnp.minimum(a[0], b[0]), a[1] + b[1]

    pair = lax.reduce((x, -x), (jnp.inf, 0.0), both, (0,))
    return x.sum(), x.max(0), jnp.var(x, 1), pair


@program(shape(2, dtype="uint32"))
def random_bits(key):
    """random numbers: plain bits and a normal distribution"""
    return jax.random.bits(key, (50, 7)), jax.random.normal(key, (300,))


@program(shape(64, 256, dtype="int8"), shape(64, 256))
def small_types(x, y):
    """four-bit integers, bytes, bits and short floating point"""
    nibble = x.astype(jnp.int4)
    total = (nibble + nibble).astype("int32").sum(0)
    return nibble, total, y > 0, y.astype(jnp.bfloat16), y.astype(jnp.float8_e5m2)


@program(shape(256, 384), shape(384, 512), shape(512, 128), shape(256, 128))
def layers(x, up, down, residual):
    """matrix products and elementwise steps, enough for prefetches on TPU"""
    hidden = jax.nn.gelu(x @ up)
    return jax.nn.softmax(hidden @ down + residual), hidden.mean(1)


@program(shape(100), on="cpu")
def host_callback(x):
    """a call of a Python function from the program"""
    return jax.pure_callback(lambda a: a + 1, shape(100), x * 2) - x


# -- several devices ---------------------------------------------------------


def over_devices(mesh, function, inputs, outputs):
    shard_map = getattr(jax, "shard_map", None)
    if shard_map is None:
        from jax.experimental.shard_map import shard_map
    return shard_map(function, mesh=mesh, in_specs=inputs, out_specs=outputs)


@program(shape(4 * 8, 64), mesh=True)
def collectives(mesh, x):
    """sums, gathers and exchanges between four devices"""
    spec = jax.sharding.PartitionSpec(AXIS)

    def local(x):
        everything = lax.all_gather(x, AXIS).reshape(-1, 64)
        turned = lax.all_to_all(x.reshape(DEVICES, -1, 64), AXIS, 0, 0).reshape(x.shape)
        share = lax.psum_scatter(everything, AXIS, tiled=True)
        return lax.psum(x, AXIS) * turned + share, everything.sum(0, keepdims=True) + x

    return over_devices(mesh, local, spec, (spec, spec))(x)


@program(shape(4 * 16, 32), mesh=True)
def ring_in_loop(mesh, x):
    """a loop that hands its state to the next device in each round"""
    spec = jax.sharding.PartitionSpec(AXIS)
    ring = [(i, (i + 1) % DEVICES) for i in range(DEVICES)]

    def step(i, c):
        return lax.ppermute(c[0] * 2, AXIS, ring), c[1] + c[0]

    def local(x):
        return lax.fori_loop(0, DEVICES, step, (x, x))

    return over_devices(mesh, local, spec, (spec, spec))(x)


# -- random programs ---------------------------------------------------------


class RandomProgram:
    """A machine with a handful of registers, each of a fixed shape and type.

    Every step computes something from one or two registers and forces it into
    the shape of a third. A loop or a branch runs further steps over some of the
    registers, so that they become the state of a `while` or the operands of a
    `conditional`. Steps are drawn while jax traces, so a program is its seed.
    """

    SIDES = (1, 3, 8, 17, 32, 100, 128, 130)
    TYPES = ("float32",) * 5 + ("int32", "bfloat16", "int8", "bool")
    NESTED = ("loop", "branch", "scan")
    SIMPLE = tuple(
        "add multiply select wave product reduce transpose slice update sort"
        " scatter running copy concatenate convert".split()
    )

    def __init__(self, seed):
        draw = random.Random("dump %d" % seed)
        self.arguments = []
        for _ in range(draw.randint(2, 7)):
            sides = [draw.choice(self.SIDES) for _ in range(draw.choice((0, 1, 2, 2, 2, 3)))]
            self.arguments.append(shape(*sides, dtype=draw.choice(self.TYPES)))
        self.donate = tuple(i for i in range(len(self.arguments)) if draw.random() < 0.3)
        self.length = draw.randint(4, 30)
        self.body_seed = draw.random()

    def __call__(self, *registers):
        draw = random.Random(self.body_seed)
        registers = self.run(draw, list(registers), self.length, depth=0)
        return draw.sample(registers, draw.randint(1, len(registers)))

    @staticmethod
    def fit(value, like):
        """`value` in the shape and type of `like`: cut off, or repeated."""
        flat = value.reshape(-1)
        if flat.size < like.size:
            flat = jnp.broadcast_to(flat, (-(-like.size // flat.size), flat.size)).reshape(-1)
        return flat[: like.size].reshape(like.shape).astype(like.dtype)

    def run(self, draw, registers, length, depth):
        for _ in range(length):
            target = draw.randrange(len(registers))
            kind = draw.choice(self.SIMPLE + self.NESTED if depth < 2 else self.SIMPLE)
            if kind in self.NESTED:
                self.nest(draw, registers, kind, depth)
                continue
            value = self.compute(draw, kind, draw.choice(registers), draw.choice(registers))
            registers[target] = self.fit(value, registers[target])
        return registers

    def nest(self, draw, registers, kind, depth):
        """A loop or a branch over some of the registers."""
        chosen = draw.sample(range(len(registers)), draw.randint(1, len(registers)))
        seed, other_seed = draw.random(), draw.random()
        length, trips = draw.randint(1, 5), draw.randint(1, 6)

        def inner(state, seed=seed):
            after = self.run(random.Random(seed), list(state), length, depth + 1)
            return tuple(after[: len(state)])

        state = tuple(registers[i] for i in chosen)
        if kind == "loop":
            state = lax.fori_loop(0, trips, lambda i, s: inner(s), state)
        elif kind == "scan":
            state, kept = lax.scan(lambda s, _: (inner(s), s[0]), state, None, length=trips)
            registers.append(kept)
        else:
            rest = inner if draw.random() < 0.5 else lambda s: s
            state = lax.cond(state[0].sum() > 1, lambda s: inner(s, other_seed), rest, state)
        for i, value in zip(chosen, state):
            registers[i] = value

    def compute(self, draw, kind, a, b):
        number = a.astype("float32")
        flat = a.reshape(-1)
        if kind in ("add", "multiply"):
            return getattr(jnp, kind)(number, self.fit(b, number))
        if kind == "select":
            return jnp.where(number > 0.5, a, self.fit(b, a))
        if kind == "wave":
            return draw.choice((jnp.sin, jnp.exp, jnp.tanh, jnp.abs))(number)
        if kind == "product":
            left, right = self.fit(a, shape(32, 64)), self.fit(b, shape(64, 48))
            return left @ right
        if kind == "reduce":
            axis = draw.randrange(a.ndim) if a.ndim else None
            return draw.choice((jnp.sum, jnp.max))(number, axis=axis)
        if kind == "transpose":
            return a.T
        if kind == "slice":
            start = b.reshape(-1)[0].astype("int32")
            return lax.dynamic_slice(flat, (start,), (max(1, flat.size // 2),))
        if kind == "update":
            piece = self.fit(b, shape(max(1, flat.size // 4), dtype=a.dtype))
            return lax.dynamic_update_slice(flat, piece, (draw.randrange(flat.size),))
        if kind == "sort":
            return lax.sort((number.reshape(-1), flat), num_keys=1)[1]
        if kind == "scatter":
            places = self.fit(b, shape(5, dtype="int32")) % flat.size
            return number.reshape(-1).at[places].add(1.0)
        if kind == "running":
            return jnp.cumsum(number, axis=0) if a.ndim else number
        if kind == "concatenate":
            return jnp.concatenate([flat, b.reshape(-1).astype(a.dtype), flat])
        if kind == "convert":
            return number.astype(draw.choice(("bfloat16", "int32", "int8")))
        return a


def random_program(seed):
    made = RandomProgram(seed)

    def function(*arguments):
        return made(*arguments)

    function.__name__ = "random_%d" % seed
    return Program(function, made.arguments, made.donate)
