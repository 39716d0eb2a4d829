"""Padding."""

import jax.numpy as jnp
from jax import lax
from lint_programs import program, spec

# Shapes that tiles do not fit.
padding = program("lint-tile-padding")


def reshaped(name, function, before, after, count=1, dtype=jnp.float32, donate=()):
    def build(changed):
        shape = after if changed else before
        return function, tuple(spec(*shape, dtype=dtype) for _ in range(count)), donate

    build.__name__ = name
    padding(build)


def scanned(function, length=4):
    def run(*x):
        return lax.scan(lambda c, _: (function(*c), None), x, None, length=length)[0]

    return run


reshaped("heads", jnp.tanh, (20, 64, 64), (20, 32, 128))
reshaped("added", jnp.add, (64, 64, 64), (64, 32, 128), count=2)
reshaped("kernel", lambda k: k - 0.1 * jnp.sign(k), (3, 3, 16, 32), (36, 128))
reshaped("averaged", lambda m, g: 0.9 * m + g, (3, 3, 64, 64), (288, 128), count=2, donate=(0,))
reshaped("images", lambda x: x / 255, (8, 28, 28, 1), (49, 128))
reshaped("points", jnp.sin, (16, 16, 16, 3), (96, 128))
reshaped("odd", lambda x: x * 2, (129, 129), (131, 128))
reshaped("decay", scanned(lambda x, y: (x * 0.5 + y, y)), (32, 64, 64), (32, 32, 128), count=2)
reshaped("half", lambda x: x * 2, (64, 64, 32), (1024, 128), dtype=jnp.bfloat16)
reshaped("six", lambda x: jnp.exp(-x), (2, 3, 4, 5, 6, 7), (40, 126))
reshaped("integers", lambda x: x + 1, (33, 64), (17, 128), dtype=jnp.int32)
reshaped("small", lambda x: jnp.cos(x), (256, 16, 16), (512, 128))
