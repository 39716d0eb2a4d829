#!/usr/bin/env python3
"""make_pairs.py OUT [--platform cpu|tpu] [--only REGEX] [--side old|new]: compiles pairs
of programs that differ in one thing, for measure_pairs.py; needs jax, and libtpu for
TPU. Nothing is executed.

Each pair is a folder OUT/<cause>-<program>/{old,new} with one dump in each. With
--side only programs of the cause `release` are compiled, once: run it with the Pythons
of two releases.
"""

import argparse
import functools
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

# First: it says what jax is to be.
from ahead_of_time import compile_into, place  # isort: skip
import jax
import jax.numpy as jnp
from jax import lax

# Source lines without folders: they are in test inputs.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def mlp_layers(layers, width):
    return [{"w": spec(width, 4 * width), "v": spec(4 * width, width)} for _ in range(layers)]


def mlp_block(layer, x):
    return x + jnp.tanh(x @ layer["w"]) @ layer["v"]


def attention_layers(layers, width):
    return [
        {"qkv": spec(width, 3 * width), "out": spec(width, width), "up": spec(width, 2 * width),
         "down": spec(2 * width, width)}
        for _ in range(layers)
    ]  # fmt: skip


def attention_block(layer, x):
    q, k, v = jnp.split(x @ layer["qkv"], 3, -1)
    scores = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / 8)
    x = x + scores @ v @ layer["out"]
    return x + jax.nn.gelu(x @ layer["up"]) @ layer["down"]


def conv_layers(layers, width):
    return [{"kernel": spec(3, 3, width // 8, width // 8)} for _ in range(layers)]


def conv_block(layer, x):
    dimensions = ("NHWC", "HWIO", "NHWC")
    return x + jax.nn.relu(
        lax.conv_general_dilated(x, layer["kernel"], (1, 1), "SAME", dimension_numbers=dimensions)
    )


MODELS = {
    "mlp": (mlp_layers, mlp_block, lambda batch, width: spec(batch, 32, width)),
    "attention": (attention_layers, attention_block, lambda batch, width: spec(batch, 64, width)),
    "conv": (conv_layers, conv_block, lambda batch, width: spec(batch, 16, 16, width // 8)),
}


def loss(block, remat, params, x):
    if remat:
        block = jax.checkpoint(block)
    for layer in params:
        x = block(layer, x)
    return jnp.mean(x * x)


def sgd(gradient, params, x):
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, gradient(params, x))


def momentum(gradient, state, x):
    params, moments = state
    moments = jax.tree_util.tree_map(lambda m, g: 0.9 * m + g, moments, gradient(params, x))
    return jax.tree_util.tree_map(lambda p, m: p - 0.1 * m, params, moments), moments


def scanned(block, remat, params, x):
    body = jax.checkpoint(block) if remat else block
    return jnp.mean(lax.scan(lambda x, layer: (body(layer, x), None), x, params)[0] ** 2)


def train(model, *, layers=4, batch=16, width=128, remat=False, donate=True, step=sgd, scan=False):
    """A step of training: the function, its arguments, and what it donates."""
    make_layers, block, make_input = MODELS[model]
    params = make_layers(layers, width)
    if scan:
        params = jax.tree_util.tree_map(lambda p: spec(layers, *p.shape), params[0])
    gradient = jax.grad(functools.partial(scanned if scan else loss, block, remat))
    state = (params, params) if step is momentum else params

    def train_step(state, x):
        return step(gradient, state, x)

    return train_step, (state, make_input(batch, width)), ((0,) if donate else ())


CAUSES = {
    "layer": ({}, {"layers": 5}),
    "batch": ({}, {"batch": 32}),
    "remat": ({"remat": True}, {"remat": False}),
    "donation": ({"donate": True}, {"donate": False}),
    "release": ({}, {}),
}
PROGRAMS = {
    "small": {"model": "mlp", "layers": 1, "width": 16, "batch": 4},
    "mlp": {"model": "mlp"},
    "mlp-momentum": {"model": "mlp", "step": momentum},
    "mlp-wide": {"model": "mlp", "width": 256},
    "mlp-scan": {"model": "mlp", "scan": True},
    "attention": {"model": "attention"},
    "attention-momentum": {"model": "attention", "step": momentum},
    "attention-wide": {"model": "attention", "width": 256},
    "attention-scan": {"model": "attention", "scan": True},
    "conv": {"model": "conv"},
    "conv-momentum": {"model": "conv", "step": momentum},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--platform", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--side", default="")
    options = parser.parse_args()
    placed = place(options.platform)
    for cause, sides in CAUSES.items():
        for name, program in PROGRAMS.items():
            # test/diff/Inputs are remat-small/old, donation-small/old and /new, by CPU.
            if not re.search(options.only or "^(?!.*-small)", f"{cause}-{name}"):
                continue
            for side, changes in zip(("old", "new"), sides):
                if (cause == "release") != bool(options.side) or options.side not in ("", side):
                    continue
                folder = options.out / f"{cause}-{name}" / side
                compile_into(folder, *train(**{**program, **changes}), placed)


if __name__ == "__main__":
    sys.exit(main())
