"""Programs of public reports about wrong numbers on several devices, for utils/archive.

The arguments are split over the devices. See archive_programs.py.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from archive_programs import report
from jax import lax

MESH = None  # where the arrays are; none while the steps run one by one


def split(x, *sides):
    """The array, split over the devices; the first side, if none is named."""
    if MESH is None:
        return x
    spec = jax.sharding.PartitionSpec(*(sides or ("x",)))
    return lax.with_sharding_constraint(x, jax.sharding.NamedSharding(MESH, spec))


@report("jax-ml/jax#39100", ("float32", 8), ("float32", 20), mesh=(4,))
def two_paddings(x, z):
    def spread(x):
        parts = [jnp.pad(x[2 * k : 2 * k + 2], (1, 2)) for k in range(4)]
        return jnp.concatenate(parts)

    def gather(x):
        return jnp.concatenate([x[5 * k + 1 : 5 * k + 3] for k in range(4)])

    return gather(spread(x) * z) + gather(spread(gather(z)))


@report("jax-ml/jax#20088", ("float32", 8, 2), ("float32", 8, 2), mesh=(4,), donate=(0,))
def constrained_step(weights, x):
    gradient = jax.grad(lambda w: jnp.sum((w * split(x)) ** 2) * 1e-4)(split(weights))
    new = weights - gradient
    return split(new), new[-1]


@report("openxla/xla#24186, jax-ml/jax#19691", ("float64", 64), mesh=(4,), x64=True)
def update_over_shards(x):
    return lax.dynamic_update_slice(x, jnp.ones(3), (2,))


@report("jax-ml/jax#21403", ("int32", 8, 1024), mesh=(4,))
def sum_over_shards(x):
    return jnp.cumsum(split(x, None, "x"), axis=-1)


@report("jax-ml/jax#16909", ("complex64", 8, 8, 8), mesh=(2,))
def fft_over_shards(x):
    x = split(jnp.fft.fftn(split(x * 1e-3), axes=(1, 2)), None, "x")
    return split(jnp.fft.fft(x, axis=0))


@report("jax-ml/jax#35896", np.float64(2), mesh=(4,), x64=True)
def range_over_shards(x):
    numbers = split(jnp.arange(64, dtype="float64")) * x
    return numbers, numbers.sum(), numbers.min(), numbers.max()


@report("jax-ml/jax#24576", ("float32", 4), ("float32", 12), mesh=(2, 2))
def concatenated_shards(a, b):
    return jnp.concatenate([a, b])


IDS = np.int32(np.arange(16 * 8).reshape(16, 8) * 7 % 96)


@report("openxla/xla#49143", IDS, ("float32", 16, 8, 256), mesh=(4,))
def gradients_of_microbatches(ids, cotangents):
    def step(total, batch):
        ids, cotangent = batch
        return total + jnp.zeros_like(total).at[ids].add(split(cotangent)), None

    batches = ids.reshape(2, 8, 8), cotangents.reshape(2, 8, 8, 256)
    return lax.scan(step, split(jnp.zeros((96, 256))), batches)[0]


@report("openxla/xla#42481", np.int32([3, 5, 3, 7]), ("float32", 16, 32), mesh=(4,))
def gradient_of_sharded_gather(ids, table):
    loss = lambda t: jnp.sum(split(split(t, None, "x")[ids], "x") ** 2) * 1e-4
    return split(jax.grad(loss)(table), None, "x")


def per_device(function, x, *others):
    """Calls it on each device's part of the first argument; all of it without devices."""
    if MESH is None:
        return None
    spec = jax.sharding.PartitionSpec
    specs = (spec("x"), *(spec() for _ in others))
    places = {"mesh": MESH, "in_specs": specs, "out_specs": spec("x")}
    if hasattr(jax, "shard_map"):
        return jax.shard_map(function, check_vma=False, **places)(x, *others)
    from jax.experimental.shard_map import shard_map

    return shard_map(function, check_rep=False, **places)(x, *others)


@report(
    "jax-ml/jax#40830",
    ("float32", 8, 64),
    mesh=(4,),
    expected=lambda x: jnp.tile(x.reshape(4, 2, 64).sum(0), (2, 1)),
)
def scattered_sum(x):
    add = partial(lax.psum_scatter, axis_name="x", scatter_dimension=0, tiled=True)
    return per_device(lambda x: add(jnp.tile(x, (2, 1))), x)


POINT_TO_POINT = {
    "xla_gpu_use_memcpy_local_p2p": True,
    "xla_gpu_enable_latency_hiding_scheduler": True,
    "xla_gpu_enable_triton_gemm": False,
}


@report(
    "openxla/xla#19555",
    *(("float32", 64, 128), ("float32", 128, 32)),
    mesh=(4,),
    targets=("cuda",),
    options=POINT_TO_POINT,
)
def products_in_a_ring(x, weights):
    ring = [(k, (k + 1) % 4) for k in range(4)]

    def each(x, weights):
        def step(_, state):
            x, total = state
            return lax.ppermute(x, "x", ring), total + x @ weights

        total = lax.fori_loop(0, 4, step, (x, x @ weights))
        return total[1]

    return per_device(each, x, weights)


PIPELINED = {
    f"xla_gpu_enable_pipelined_{name}": True
    for name in ("all_gather", "all_reduce", "reduce_scatter")
}


@report(
    "openxla/xla#16953, #19363",
    *(("float32", 8, 64, 64), ("float32", 64, 64)),
    mesh=(4,),
    targets=("cuda",),
    options={**PIPELINED, "xla_gpu_enable_latency_hiding_scheduler": True},
)
def gathered_weights_in_loop(weights, x):
    def each(part, x):
        def step(k, x):
            layer = lax.all_gather(part[k % 2], "x", tiled=True)
            return jnp.tanh(x @ layer[:64]) + x

        return lax.fori_loop(1, 7, step, x)

    return per_device(each, weights, x)


@report(
    "openxla/xla#46543",
    ("float32", 16384),
    mesh=(4,),
    targets=("cuda",),
    options={"xla_gpu_enable_nccl_user_buffers": True},
)
def sums_in_collective_memory(x):
    def each(x):
        alone = lax.optimization_barrier
        total = alone(lax.psum(alone(jnp.sin(x)), "x").sum())
        a = alone(jnp.cos(total + jnp.arange(1024.0)))
        b = alone(jnp.sin(a))
        c = lax.psum(alone(b[::4] * 2), "x")
        return alone(b[::4] + b[1::4] + b[2::4] + c)[:8]

    return per_device(each, x)
