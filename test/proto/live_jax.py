"""live_jax.py: hlobuf.check() and hlobuf.capture() on real compilations."""

import os

import hlobuf
import jax
import jax.numpy as jnp
import numpy as np


def shift_row(x):
    return x.at[1:].set(x[:-1])[None]


x = jax.ShapeDtypeStruct((8, 16), "int32")
print("sound:", hlobuf.check(lambda x: jnp.sin(x) + 1, x.update(dtype="float32")).ok)
for name, verdict in {
    "function": hlobuf.check(jax.jit(shift_row), x),
    "executable": hlobuf.check(jax.jit(shift_row).lower(x).compile()),
}.items():
    print(f"{name}:", sorted({finding.check for finding in verdict.findings}))
verdict = hlobuf.check(shift_row, x)
print("picture:", "jit_shift_row" in verdict.plot().html)
with hlobuf.capture() as captured:
    jax.jit(shift_row).lower(jax.ShapeDtypeStruct((4, 8), "int32")).compile()
print("block:", [report.module for report in captured], captured.missed)
with jax.profiler.trace(os.path.join(os.environ["TMPDIR"], "profile")):
    jax.jit(shift_row)(np.zeros((8, 16), "int32")).block_until_ready()
profile = [r for r in hlobuf.verify(os.path.join(os.environ["TMPDIR"], "profile")) if r.errors]
print("profile:", [report.module for report in profile])
print("left behind:", [n for n in os.listdir(os.environ["TMPDIR"]) if n.startswith("hlobuf")])
