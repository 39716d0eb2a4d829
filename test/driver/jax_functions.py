"""Compiles a few functions, two of them to equal programs."""

import jax
import jax.numpy as jnp


def twice():
    return jax.jit(lambda a, b: a * 2 - b)


def solve(a, b):
    return jnp.linalg.solve(a @ a.T + jnp.eye(8), jnp.sort(b))


def branch(a, b):
    step = lambda i, c: jax.lax.dynamic_update_slice(c, c[:1] * 2, (i, 0))
    return jax.lax.cond(a[0, 0] > 0, lambda: jax.lax.fori_loop(0, 3, step, a), lambda: b)


arguments = [jax.ShapeDtypeStruct((8, 8), "float32")] * 2
for function in (twice(), twice(), jax.jit(solve), jax.jit(branch)):
    function.lower(*arguments).compile()
