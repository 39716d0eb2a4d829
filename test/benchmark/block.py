"""block.py: compiles a transformer block, for stitch.py; needs jax."""

import jax
import jax.numpy as jnp


def block(x, p):
    q, k, v = jnp.split(x @ p["qkv"], 3, -1)
    x = x + jax.nn.softmax(q @ k.T / 4) @ v @ p["o"]
    return x + jax.nn.gelu(x @ p["up"]) @ p["down"]


shapes = {"qkv": (16, 48), "o": (16, 16), "up": (16, 32), "down": (32, 16)}
weights = {name: jnp.ones(shape) for name, shape in shapes.items()}
jax.jit(block)(jnp.ones((8, 16)), weights)
