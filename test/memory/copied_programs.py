"""copied_programs.py: programs of public reports that copy, each small, and the same changed as
the row of the copy says. Prints the cause of the largest copy of each, and whether it is gone in
the changed one."""


import hlobuf
import jax
import jax.numpy as jnp
from jax import lax

LARGE = 20000


def array(*shape, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype)


vector, index, steps = array(LARGE), array(dtype="int32"), array(40, dtype="int32")
PROGRAMS = {}


def program(thread, *arguments, donate=()):
    """The first of a thread is as reported, the second one is changed."""

    def register(function):
        PROGRAMS.setdefault(thread, []).append((function, arguments, donate))
        return function

    return register


@program("jax-15684 rows of an argument", vector, steps, array(40), donate=(0,))
@program("jax-15684 rows of an argument", vector, steps, array(40))
def rows(x, at, new):
    return x.at[at].set(new)


@program("jax-10197 gradient of a scan", array(10, 10))
def gradient(first, length=300):
    def loss(first):
        table = jnp.concatenate([first[None], jnp.zeros((length - 1, 10, 10))])
        body = lambda table, i: (table.at[i].set(table[i - 1]), None)
        return lax.scan(body, table, jnp.arange(2, length))[0][-1].sum()

    return jax.grad(loss)(first)


@program("jax-10197 gradient of a scan", array(10, 10))
def gradient_of_rows(first, length=300):
    def loss(first):
        last, rows = lax.scan(lambda row, i: (row, row), first, jnp.arange(2, length))
        return rows[-1].sum()

    return jax.grad(loss)(first)


@program("jax-25399 read and update", array(100, 200), donate=(0,))
def read_and_update(x):
    return x.at[0, 0].add(1), x[0, 0]


@program("jax-17845 pop in a scan", vector, steps, donate=(0,))
def pop(queue, places):
    def body(queue, i):
        rest = lax.dynamic_slice(queue, (i + 1,), (64,))
        return lax.dynamic_update_slice(queue, rest, (i,)), queue[i]

    return lax.scan(body, queue, places)


@program("reactant-1462 first row by concatenate", array(500, 40), array(40), donate=(0,))
def concatenate(x, row):
    return jnp.concatenate([row[None], x[1:]])


@program("reactant-1462 first row by concatenate", array(500, 40), array(40), donate=(0,))
def update(x, row):
    return x.at[0].set(row)


@program("jax-5986 a swap in a loop", vector, vector, donate=(0, 1))
def swap(x, y):
    return lax.fori_loop(0, 20, lambda i, s: (s[1].at[0].set(s[0][i]), s[0]), (x, y))


@program("xla-5335 an argument is a result", vector, array(10))
def returned(x, y):
    return x, y + x[0]


@program("xla-5335 an argument is a result", vector, array(10))
def not_returned(x, y):
    return y + x[0]


@program("keras one array of zeros twice", array(100))
def zeros_twice(x):
    zeros = jnp.zeros((200, 100))
    body = lambda i, s: (s[0].at[i].set(x), s[1].at[i].add(x))
    return lax.fori_loop(0, 10, body, (zeros, zeros))


@program("keras one array of zeros twice", array(100), array(200, 100), array(200, 100), donate=(1, 2))
def two_arrays(x, first, second):
    body = lambda i, s: (s[0].at[i].set(x), s[1].at[i].add(x))
    return lax.fori_loop(0, 10, body, (first, second))


@program("jax-40101 in place in a loop", vector, donate=(0,))
def in_place(x):
    return lax.fori_loop(0, 50, lambda i, x: x.at[i].set(jnp.sin(i * 1.0)), x)


@program("jax-38145 a branch that returns its argument", vector, donate=(0,))
def branch(x):
    def body(i, state):
        x, total = state
        new = lax.cond(total > 100.0, lambda x: x.at[i].set(1.0), lambda x: x, x)
        return new, total + x[3] * x[i]

    return lax.fori_loop(0, 20, body, (x, jnp.float32(1)))


def copies(function, arguments, donate):
    jitted = jax.jit(function, donate_argnums=donate)
    return [copy for copy in hlobuf.check(jitted, *arguments).copies if copy.bytes > 1000]


for thread, (reported, *changed) in PROGRAMS.items():
    found = copies(*reported)
    text = found[0].cause if found else "no copy"
    for each in changed:
        left = copies(*each)
        text += "; changed: " + (left[0].cause if left else "no copy")
    print(f"{thread}: {text}")
