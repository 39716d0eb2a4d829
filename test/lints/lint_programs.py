"""What the programs of recompile.py share."""

import jax
import jax.numpy as jnp
from jax import lax

PROGRAMS = []


def program(lint):
    """A function of one flag, `changed`, that gives (function, arguments, donated)."""

    def add(function):
        PROGRAMS.append((lint, function.__name__, function))
        return function

    return add


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def barrier(*values):
    return lax.optimization_barrier(values)


def mlp(params, x):
    for w, v in params:
        x = x + jnp.tanh(x @ w) @ v
    return jnp.mean(x * x)


def mlp_params(layers, width, dtype=jnp.float32):
    return [(spec(width, 4 * width, dtype=dtype), spec(4 * width, width, dtype=dtype))] * layers


def update(params, gradients, rate=0.1):
    return jax.tree_util.tree_map(lambda p, g: p - (rate * g).astype(p.dtype), params, gradients)
