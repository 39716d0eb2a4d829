# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every line that hlobuf-fit prints to paste runs, and computes again what it says.

  paste.py FOLDER [LIBRARY...]

Compiles a step of four layers with each library, asks for a plan, and runs each line after the definition that it names:
gradients must stay, and a checkpoint must be there.
"""
import os
import pathlib
import subprocess
import sys
import json

os.environ.update(JAX_PLATFORMS="cpu", KERAS_BACKEND="jax")
import jax
import jax.numpy as jnp

JAX = """
def block(x, p):
    return x + jnp.tanh(x @ p["up"]) @ p["down"]
{lines}
params = [{"up": jnp.full((32, 128), .01), "down": jnp.full((128, 32), .01)} for _ in range(4)]
def loss_of(params, x):
    for p in params: x = block(x, p)
    return (x ** 2).sum()
"""
LINEN = """
from flax import linen as nn
init = nn.initializers.constant(.01)
class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        return x + nn.Dense(32, kernel_init=init)(nn.tanh(nn.Dense(128, kernel_init=init)(x)))
{lines}
class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(4): x = Block()(x)
        return x
params = Net().init(jax.random.key(0), jnp.ones((2, 32)))
def loss_of(params, x): return (Net().apply(params, x) ** 2).sum()
"""
NNX = """
from flax import nnx
class Block(nnx.Module):
    def __init__(self, rngs):
        self.up, self.down = nnx.Linear(32, 128, rngs=rngs), nnx.Linear(128, 32, rngs=rngs)
    def __call__(self, x):
        return x + self.down(nnx.tanh(self.up(x)))
{lines}
class Net(nnx.Module):
    def __init__(self, rngs): self.blocks = nnx.List([Block(rngs) for _ in range(4)])
    def __call__(self, x):
        for block in self.blocks: x = block(x)
        return x
graph, params = nnx.split(Net(nnx.Rngs(0)))
def loss_of(params, x): return (nnx.merge(graph, params)(x) ** 2).sum()
"""
KERAS = """
import keras
keras.utils.set_random_seed(0)
class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.up, self.down = keras.layers.Dense(128, activation="tanh"), keras.layers.Dense(32)
    def call(self, x):
        return x + self.down(self.up(x))
keras.backend.clear_session()
x = inputs = keras.Input((32,))
{around}
    for _ in range(4): x = Block()(x)
model = keras.Model(inputs, x)
params = [w.value for w in model.trainable_variables]
def loss_of(params, x): return (model.stateless_call(params, [], x)[0] ** 2).sum()
"""
STEP = """
def step(params, x):
    loss, g = jax.value_and_grad(loss_of)(params, x)
    return jax.tree.map(lambda p, g: p - .01 * g, params, g), loss
"""
LIBRARIES = {"jax": (JAX, ""), "flax.linen": (LINEN, "flax"), "flax.nnx": (NNX, "flax"), "keras": (KERAS, "keras")}


def run(text, file, line=""):
    """The step and its parameters, with the line in its place."""
    first = line.startswith("step = ")
    text = text.replace("{around}", line if line.startswith("with ") else "if True:")
    text = text.replace("{lines}", "" if first or line.startswith("with ") else line) + STEP + (line if first else "")
    file.write_text(text)
    space = {"jax": jax, "jnp": jnp}
    exec(compile(text, str(file), "exec"), space)
    return space["step"], space["params"]


def lines_of(folder, step, arguments):
    dump = {"xla_dump_to": str(folder), "xla_dump_hlo_as_text": True}
    jax.jit(step).lower(*arguments).compile(compiler_options=dump)
    file = next(folder.glob("*jit_step*buffer-assignment.txt"))
    found = subprocess.run(["hlobuf-fit", file, "--capacity=256KiB", "--format=json"], capture_output=True, text=True)
    plan = json.loads(found.stdout)
    return {line for change in plan["plan"] + plan["candidates"] for line in change["paste"] if change["kind"] != "batch"}


def main():
    root = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or LIBRARIES:
        text, package = LIBRARIES[name]
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        x = jnp.ones((256, 32))
        try:
            step, params = run(text, folder / "program.py")
        except ImportError as error:
            print(f"{name}: skipped: {error}")
            continue
        before = jax.tree.leaves(step(params, x))
        lines = sorted(lines_of(folder, step, (params, x)))
        for line in lines:
            step, params = run(text, folder / "program.py", line)
            program = str(jax.make_jaxpr(step)(params, x))
            assert line.startswith("step = ") or "remat" in program or "checkpoint" in program, line
            after = jax.tree.leaves(step(params, x))
            assert all(jnp.allclose(a, b, rtol=1e-3) for a, b in zip(before, after)), line
            print(f"{name}: {line}")


main()
