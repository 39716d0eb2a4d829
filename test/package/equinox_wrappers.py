"""hlobuf.check() takes what Equinox returns from jit, lower() and compile().

REQUIRES: jax
RUN: %venv-python %s
"""

import os

from support import HERE, VENV, clean_place, environment, expect, run

PROGRAM = """
import equinox, hlobuf, jax

class Shift(equinox.Module):
    rows: int

    def __call__(self, x):
        return x.at[self.rows :].set(x[: -self.rows])[None]

f, model = equinox.filter_jit(lambda model, x: model(x)), Shift(1)
x = jax.numpy.zeros((8, 16), "int32")
for target, *args in (f, model, x), (f.lower(model, x),), (f.lower(model, x).compile(),):
    print(type(target).__name__, [g.check for g in hlobuf.check(target, *args).findings])
"""


def main():
    place = clean_place()
    # jax has its own environment, which stays as it is.
    pip = [VENV / "bin" / "pip", "install", "-q", "--target", place / "site"]
    run(*pip, "--no-deps", "-r", HERE / "wheels-jax.txt", "hlobuf")
    env = environment(PYTHONPATH=str(place / "site"), JAX_PLATFORMS="cpu")
    text = run(os.environ["HLOBUF_JAX_PYTHON"], "-c", PROGRAM, env=env, cwd=place)
    kinds = "_JitWrapper", "Lowered", "Compiled"
    expect([f"{kind} ['in-place-hazard']" for kind in kinds], text)


main()
