"""live_jax.py: hlobuf.check() and hlobuf.capture() on real compilations."""

import os

import hlobuf
import jax
import jax.numpy as jnp
import numpy as np
from hlobuf._compile_worker import ENVIRONMENT
from jax.experimental import topologies


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
copies = hlobuf.check(lambda x: x.at[0].set(1), x.update(shape=(64, 64))).copies
print("copied:", [(copy.cause, copy.moved, copy.runs) for copy in copies])
print("picture:", "jit_shift_row" in verdict.plot().html)
with hlobuf.capture() as captured:
    jax.jit(shift_row).lower(jax.ShapeDtypeStruct((4, 8), "int32")).compile()
print("block:", [report.module for report in captured], captured.missed)
print("its picture:", "jit_shift_row" in captured.plot().html)
with hlobuf.capture() as outer:
    for _ in range(2):
        jax.jit(lambda x: x * 3).lower(x).compile()
    with hlobuf.capture() as inner:
        jax.jit(lambda x: x * 5).lower(x).compile()
print("equal programs:", len(outer), outer.missed, outer.ok)
print("inner block:", len(inner), inner.missed, inner.ok)
# What is compiled ahead of time cannot be loaded, and is compiled again.
os.environ.update(ENVIRONMENT)
options = {"topology_name": "v5e:2x2x1", "chips_per_host_bounds": (2, 2, 1)}
device = topologies.get_topology_desc(platform="tpu", **options).devices[0]
placed = jax.sharding.SingleDeviceSharding(device)
with hlobuf.capture() as captured:
    for _ in range(2):
        jax.jit(lambda x: x * 7, in_shardings=placed, out_shardings=placed).lower(x).compile()
print("ahead of time:", len(captured), captured.missed, captured.ok)
with jax.profiler.trace(os.path.join(os.environ["TMPDIR"], "profile")):
    jax.jit(shift_row)(np.zeros((8, 16), "int32")).block_until_ready()
profile = [r for r in hlobuf.verify(os.path.join(os.environ["TMPDIR"], "profile")) if r.errors]
print("profile:", [report.module for report in profile])
del verdict, captured, outer, inner
print("left behind:", [n for n in os.listdir(os.environ["TMPDIR"]) if n.startswith("hlobuf")])
