"""Compiles the executables in Inputs/.

make_inputs.py cpu FOLDER               needs jax
make_inputs.py cuda FOLDER TARGET       needs jax and a CUDA plugin, but no GPU

TARGET describes a GPU as files of xla/backends/gpu/target_config/specs do. The name of the
folder with CUDA gets into the executable, so that one is ./cuda: a link is enough.
"""

import os
import random
import sys

PLATFORM, FOLDER = sys.argv[1:3]
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
if PLATFORM == "cuda":
    os.environ["XLA_FLAGS"] = "--xla_gpu_autotune_level=0"
    os.environ["CUDA_ROOT"] = "cuda"
else:
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

# pylint: disable=wrong-import-position
import jax
import numpy as np
from jax import experimental, lax
from jax import numpy as jnp
from jax.experimental.compute_on import compute_on
from jax.sharding import NamedSharding, PartitionSpec

from executable import read_executable
from faults import arguments_exchanged
from thunks import Program

DEVICES = 4


def array(*dimensions, kind="float32"):
    return jax.ShapeDtypeStruct(dimensions, kind)


CONVOLVED = array(1, 2, 4, 4, 4), array(2, 2, 3, 3, 3)


def write(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as f:
        f.write(data)
    print(f"{path}: {len(data)} bytes")
    return path


def compile_to(name, function, *arguments, **options):
    compiled = jax.jit(function, **options).lower(*arguments).compile()
    return write(name, compiled.runtime_executable().serialize())


def loop(rows, count):
    """A loop in a branch; its body sorts, and updates in place."""

    def body(state):
        kept, moved, step = state
        new = lax.dynamic_update_slice(kept, moved[:1] * 2, (step, 0))
        return jnp.sort(moved, axis=-1), new, step + 1

    def run(state):
        return lax.while_loop(lambda now: now[2] < count, body, state)

    def swap(state):
        return state[1], state[0], state[2]

    return lax.cond(count > 3, run, swap, (rows, rows * 2, jnp.int32(0)))


def difference(a, b):
    return a * 2 - b


def ring(shards, weights, stack):
    """Shards go around while they are multiplied; a sum over all follows."""
    following = [(device, (device + 1) % DEVICES) for device in range(DEVICES)]

    def body(step, state):
        shard, total, kept = state
        product = (total @ weights)[None]
        kept = lax.dynamic_update_slice(kept, product, (step, 0, 0))
        moved = lax.ppermute(shard, "x", following)
        return moved, total + shard @ weights, kept

    state = shards, shards @ weights, stack
    shard, total, kept = lax.fori_loop(0, 3, body, state)
    return shard, total + lax.psum(jnp.tanh(total), "x"), kept


def ordered(a):
    """A token keeps two calls of the host in order."""
    for _ in range(2):
        a = experimental.io_callback(np.sin, a, a, ordered=True)
    return a


def ragged(shard, stack):
    """Rows are exchanged in a loop; XLA collects them in memory of another color."""
    ones = jnp.full(DEVICES, 4, "int32")

    def body(_, state):
        at = ones * lax.axis_index("x")
        target = jnp.zeros((DEVICES * len(shard), *shard.shape[1:]))
        sizes = {"send_sizes": ones, "recv_sizes": ones, "axis_name": "x"}
        offsets = {"input_offsets": jnp.arange(DEVICES) * 4, "output_offsets": at}
        moved = lax.ragged_all_to_all(state, target, **offsets, **sizes)
        return moved[: len(shard)] + stack

    return lax.fori_loop(0, 3, body, shard)


def volume(image, filters):
    """A convolution over three dimensions is a library call."""
    return lax.conv_general_dilated(image, filters, (1, 1, 1), "SAME")


def summed(shard, weights, image, filters):
    """A loop with one collective; no result takes the filters, which are donated."""

    def body(_, total):
        return lax.psum(total @ weights, "x")

    return lax.fori_loop(0, 3, body, shard), volume(image, filters)


def library(factor, square, row, image, filters):
    """Matrices, a call with attributes, the largest of a row, and a convolution."""
    product = jnp.einsum("ibk,jbk->bij", factor, factor)
    largest = lax.top_k(row, 7)
    return product, jnp.linalg.svd(square)[1], largest, volume(image, filters)


def products(stack, weights):
    """Each matrix becomes a product of the one before, in a library; one is copied."""

    def body(step, state):
        now, _ = state
        factor = lax.dynamic_index_in_dim(weights, step, keepdims=False)
        product = lax.dynamic_index_in_dim(now, step, keepdims=False) @ factor
        now = lax.dynamic_update_slice(now, product[None], (step + 1, 0, 0))
        return now, lax.dynamic_index_in_dim(weights, step)

    return lax.fori_loop(0, 3, body, (stack + 1, weights[:1]))


def sums(rows):
    """Three sums over all devices, and two sorts."""
    for _ in range(3):
        rows = lax.psum(jnp.sin(rows), "x")
    return rows, jnp.sort(rows), jnp.sort(rows[:, :4])


def on_host(function, *arguments):
    shapes = jax.eval_shape(function, *arguments)
    spaces = jax.tree.map(lambda _: jax.memory.Space.Host, shapes)
    how = {"compute_type": "device_host", "out_memory_spaces": spaces}
    return compute_on(function, **how)(*arguments)


def hosted(rows):
    """Two computations of the host, of the same shapes."""
    return on_host(jnp.tanh, on_host(lambda a: jnp.sort(a) + 1, rows))


def make_cpu():
    compile_to("loop.cpu", loop, array(64, 256), array(kind="int32"))
    compile_to("tokens.cpu", ordered, array(8))
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    rows, whole = PartitionSpec("x"), PartitionSpec()
    specs = {"in_specs": (rows, whole, whole, whole), "out_specs": (rows, whole)}
    sharded = jax.shard_map(summed, mesh=mesh, check_vma=False, **specs)
    arguments = array(256, 64), array(64, 64), *CONVOLVED
    compile_to("summed.cpu", sharded, *arguments, donate_argnums=(0, 3))
    path = compile_to("exchanged.cpu", difference, array(8), array(8))
    executable = read_executable(path)
    program = Program(executable)
    print(arguments_exchanged(program, random.Random(1)).text)
    write("exchanged.cpu", executable.with_thunks(program.root.message))


def make_cuda(target):
    from jax.experimental import topologies  # pylint: disable=import-outside-toplevel

    with open(target, encoding="utf-8") as f:
        text = f.read()
    name = f"1x1x{DEVICES}"
    how = {"platform": "cuda", "topology_name": name, "topology": name}
    devices = topologies.get_topology_desc(target_config=text, **how).devices
    mesh = jax.sharding.Mesh(np.array(devices), ("x",))
    rows, whole = PartitionSpec("x"), PartitionSpec()
    columns = PartitionSpec(None, "x")

    def compile_sharded(name, function, arguments, specs, results, donated):
        sharded = jax.shard_map(
            function, mesh=mesh, in_specs=specs, out_specs=results, check_vma=False
        )
        where = jax.tree.map(lambda spec: NamedSharding(mesh, spec), (specs, results))
        how = {"in_shardings": where[0], "out_shardings": where[1]}
        compile_to(name, sharded, *arguments, donate_argnums=donated, **how)

    arguments = array(256, 64), array(64, 64), array(3, 256, 64)
    specs = rows, whole, columns
    results = rows, rows, columns
    compile_sharded("streams.cuda", ring, arguments, specs, results, (2,))
    arguments = array(256, 64), array(256, 64)
    compile_sharded("ragged.cuda", ragged, arguments, (rows, rows), rows, (0,))
    arguments = array(17, 2, 5, kind="complex64"), array(16, 16), array(1024), *CONVOLVED
    results = whole, whole, [whole, whole], whole
    compile_sharded("library.cuda", library, arguments, (whole,) * 5, results, ())
    compile_sharded("sums.cuda", sums, (array(8, 8),), (whole,), (whole,) * 3, ())
    shapes = array(4, 64, 64), array(3, 64, 64)
    one = jax.sharding.Mesh(np.array(devices[:1]), ("x",))
    place = NamedSharding(one, whole, memory_kind="pinned_host")
    compile_to("host.cuda", hosted, array(8, 32), in_shardings=place, out_shardings=place)
    how = {"in_shardings": NamedSharding(one, whole), "out_shardings": NamedSharding(one, whole)}
    compile_to("products.cuda", products, *shapes, **how, compiler_options={"xla_gpu_enable_triton_gemm": False})


def main():
    jax.config.update("jax_include_full_tracebacks_in_locations", False)
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    os.makedirs(FOLDER, exist_ok=True)
    if PLATFORM == "cpu":
        make_cpu()
    else:
        make_cuda(sys.argv[3])


if __name__ == "__main__":
    main()
