#!/usr/bin/env python3
"""make_regressions.py OUT [--only REGEX]: compiles programs whose peaks differ between
releases of jax; run it with the Python of each release. Needs
jax on CPU. Nothing is executed.

Each program is a folder OUT/<program>.
"""

import argparse
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

# First: it says what jax is to be.
from ahead_of_time import compile_into  # isort: skip
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

PROGRAMS = {}


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def program(*arguments, donate=()):
    def add(function):
        PROGRAMS[function.__name__] = function, arguments, donate
        return function

    return add


@program(spec(1 << 20), donate=(0,))
def donated_through_loop(x):
    """openxla/xla#45912."""
    y = jnp.exp(x)
    total = lax.fori_loop(0, 8, lambda i, s: s + y[i * (1 << 17)], jnp.float32(0))
    return y * total + 1, total


@program(spec(1000, 64), spec(200, dtype=jnp.int32), spec(200, 64))
def scatters(table, rows, updates):
    columns = rows[:64][None] % 64
    return (
        table.at[rows].set(updates),
        table.at[rows].mul(updates),
        jax.ops.segment_sum(updates, rows, 1000),
        jnp.take_along_axis(table, columns, 1),
    )


@program(spec(256, 512), spec(512, 256), spec(512, 256))
def chained_dots(x, y, z):
    a = x @ y
    b = jnp.tanh(a @ a.T) @ (x @ z)
    return b / (1 + jnp.abs(b).sum(0)), a.sum()


@program(spec(8, 32, 32, 16), spec(3, 3, 16, 32))
def convolution_gradient(x, w):
    def loss(w):
        y = lax.conv_general_dilated(
            x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        return (jnp.maximum(y, 0) ** 2).sum()

    return jax.grad(loss)(w)


@program(spec(dtype=jnp.int32), spec(128, 128), spec(128, 128))
def dots_in_branches(i, x, y):
    branches = [lambda a, b: a, lambda a, b: jnp.sort(b), lambda a, b: jnp.tanh(a @ b @ a)]
    return lax.switch(i, branches, x, y)


@program(spec(dtype=jnp.bool_), spec(128, 128))
def transposed_in_branch(p, x):
    return lax.cond(p, lambda a: lax.cond(a.sum() > 0, lambda b: b.T, lambda b: b @ b, a), jnp.sin, x)


def normalized(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


@program([(spec(64, 256), spec(256, 64))] * 6, spec(2, 32, 64))
def normalized_layers(params, x):
    def loss(params):
        y = x
        for up, down in params:
            y = y + jnp.tanh(normalized(y) @ up) @ down
        return (y**2).mean()

    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


@program(spec(20, 64, 64), spec(64))
def scanned_dots(w, x):
    return lax.scan(lambda c, a: (jnp.tanh(a @ c), c.sum()), x, w)


@program(
    [(spec(128, 512, dtype=jnp.bfloat16), spec(512, 128, dtype=jnp.bfloat16))] * 4,
    spec(64, 128, dtype=jnp.bfloat16),
)
def half_precision_layers(params, x):
    for up, down in params:
        x = x + jnp.tanh(x @ up) @ down
    return x


@program(
    spec(4, 2, 256, 128, dtype=jnp.bfloat16),
    spec(4, 128, 128, dtype=jnp.bfloat16),
    spec(2, 128, dtype=jnp.bfloat16),
    spec(dtype=jnp.int32),
    donate=(0,),
)
def decoding(cache, weights, x, position):
    def layer(x, parts):
        kept, w = parts
        kept = lax.dynamic_update_slice(kept, (x @ w)[:, None], (0, position, 0))
        scores = jax.nn.softmax(jnp.einsum("bd,bsd->bs", x, kept))
        return jnp.einsum("bs,bsd->bd", scores, kept), kept

    return lax.scan(layer, x, (cache, weights))


@program(spec(512, 256, dtype=jnp.int8), spec(256, 512, dtype=jnp.int8))
def integer_dot(a, b):
    return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)


@program(spec(5, 3, 257, dtype=jnp.bfloat16))
def half_precision_einsum(z):
    return jnp.einsum("abc,abd->cd", z, z)


@program(spec(256, 512), spec(512, 256))
def reduced_dot(x, y):
    product = (x * 2) @ y
    return jnp.sin(product), product.sum(0)


@program(spec(20, 64, 64), spec(32, 64))
def scan_gradient(w, x):
    def loss(w):
        return (lax.scan(lambda c, a: (jnp.tanh(c @ a), None), x, w)[0] ** 2).sum()

    return jax.grad(loss)(w)


@program(spec(16, 64, 64))
def mapped_norms(x):
    return lax.map(lambda a: jnp.linalg.norm(a @ a.T, axis=0), x)


def fill(i, rows):
    return lax.fori_loop(0, 8, lambda j, s: (s[0].at[j].set(s[1]), jnp.sin(s[1] + i)), rows)


def use(kept, x):
    return lax.fori_loop(0, 8, lambda j, s: s * kept[7 - j], x)


@program(spec(1024))
def filled_in_turn(x):
    """Two arrays, one after the other; and below both at once."""
    kept, x = fill(0, (jnp.zeros((8, 1024)), x))
    x = use(kept, x)
    kept, x = fill(1, (jnp.full((8, 1024), x[0]), x))
    return use(kept, x)


@program(spec(1024))
def filled_together(x):
    first, second = jnp.zeros((8, 1024)), jnp.full((8, 1024), x[0])
    first, second, x = lax.fori_loop(
        0, 8, lambda j, s: (s[0].at[j].set(s[2]), s[1].at[j].set(s[2]), jnp.sin(s[2])), (first, second, x)
    )
    return use(second, use(first, x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for name, program in PROGRAMS.items():
        if re.search(options.only, name):
            compile_into(options.out / name, *program)


if __name__ == "__main__":
    main()
