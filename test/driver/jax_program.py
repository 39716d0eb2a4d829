"""jax_program.py cpu|tpu: compiles a loop; for TPU ahead of time, on no TPU."""
import os
import sys

os.environ.update(
    TPU_ACCELERATOR_TYPE="v5litepod-4",
    TPU_SKIP_MDS_QUERY="1",
    TPU_WORKER_HOSTNAMES="localhost",
    TPU_WORKER_ID="0",
    ALLOW_MULTIPLE_LIBTPU_LOAD="true",
    TF_CPP_MIN_LOG_LEVEL="3",
)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402


def swap(a, b):
    step = lambda i, c: (c[1][0], jnp.broadcast_to(c[0], c[1].shape))
    return jax.lax.fori_loop(0, 3, step, (a, b))


devices = jax.devices()
if sys.argv[1] == "tpu":
    from jax.experimental import topologies

    options = dict(topology_name="v5e:2x2x1", chips_per_host_bounds=(2, 2, 1))
    devices = topologies.get_topology_desc(platform="tpu", **options).devices
mesh = jax.sharding.Mesh(numpy.array(devices[:1]), ("x",))
placed = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
shapes = [jax.ShapeDtypeStruct(s, "float32") for s in [(128,), (8, 128)]]
jax.jit(swap, in_shardings=placed, out_shardings=placed).lower(*shapes).compile()
print("the program's own output")
