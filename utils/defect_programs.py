"""defect_programs.py NAME TARGET: compiles one program that some release of XLA gets
wrong, for a target: cpu, cuda, or a TPU as in v5e. utils/replay-defects runs it.

For cpu the program also runs, compiled and step by step, and the last line is how many
numbers differ: `96 of 128 wrong`. For other targets it is compiled ahead of time, which
needs no accelerator.
"""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from hlobuf._compile_worker import ENVIRONMENT, H100  # noqa: E402

os.environ.update(ENVIRONMENT, JAX_PLATFORMS="cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


def shift_row(x):
    """each row becomes the one above it"""
    return x.at[1:].set(x[:-1])[None]


def broadcast_of_old_vector(vector, matrix):
    """each round makes the vector from the matrix and the matrix from the vector"""
    step = lambda i, c: (c[1][0], jnp.broadcast_to(c[0], c[1].shape))
    return jax.lax.fori_loop(0, 3, step, (vector, matrix))


def loop_over_bytes(x):
    """an argument of bytes is a loop's first state, and is read after the loop"""
    return jax.lax.fori_loop(0, 3, lambda i, c: c + c, x)[0], x[0]


def update_bytes(x, row, i):
    """an argument of bytes is updated, and read together with the update"""
    y = x.at[i].set(row)
    return y[0] - x[0]


def two_paddings(x, z):
    """two results that are put together from rows of sharded arrays"""

    def spread(x):
        return jnp.concatenate([jnp.pad(x[2 * k : 2 * k + 2], (1, 2)) for k in range(4)])

    def gather(x):
        return jnp.concatenate([x[5 * k + 1 : 5 * k + 3] for k in range(4)])

    return gather(spread(x) * z) + gather(spread(gather(z)))


def update_with_quotient(x, k):
    """a part of a quotient replaces a part of what all of it is computed from"""
    quotient = x / (1 + jnp.abs(x[::-1]))
    return jax.lax.dynamic_update_slice(x, quotient[:2], (k, 0)), quotient


def loop_of_one_array(a, x):
    """the loop makes both elements of its state x, which is updated after it"""
    first, _ = jax.lax.fori_loop(0, 3, lambda i, state: (state[1], state[1]), (a, x))
    return first, x.at[0].set(-1)


def loop_on_a_stream(x, n):
    """a loop on a stream of its own updates an argument that is read after it"""
    from jax.experimental.xla_metadata import set_xla_metadata

    step = lambda state: (state[0] + 1, jnp.sin(state[1]) * state[1])
    loop = jax.jit(lambda x, n: jax.lax.while_loop(lambda s: s[0] < 5, step, (n, x))[1])
    annotations = {"_xla_stream_annotation": "1", "inlineable": "false"}
    return set_xla_metadata(loop(x, n), **annotations) + x


def two_scatters(first, second, indices, a, b):
    """A scatter with two results, which no function of jax makes, or one by one."""
    from jax.extend.core import Primitive

    primitive = Primitive("two_scatters")
    primitive.multiple_results = True
    set_rows = lambda x, updates: x.at[indices[:, 0]].set(updates)
    primitive.def_impl(lambda x, y, _, a, b: [set_rows(x, a), set_rows(y, b)])
    primitive.def_abstract_eval(lambda *types: types[:2])
    jax.interpreters.mlir.register_lowering(primitive, lower_two_scatters)
    return primitive.bind(first, second, indices, a, b)


def lower_two_scatters(_, first, second, indices, a, b):
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    numbers = stablehlo.ScatterDimensionNumbers.get([], [0], [], [], [0], 1)
    types, updates = [first.type, second.type], [a, b]
    scatter = stablehlo.ScatterOp(types, [first, second], indices, updates, numbers)
    scalar = ir.RankedTensorType.get([], ir.RankedTensorType(first.type).element_type)
    block = scatter.update_computation.blocks.append(*[scalar] * 4)
    with ir.InsertionPoint(block):
        stablehlo.ReturnOp(block.arguments[2:])
    return scatter.results


def two_results_of_zeros(indices, a):
    """both results of a scatter are zeros elsewhere"""
    return two_scatters(*[jnp.zeros(64, "int32")] * 2, indices, a, a + 100)


def kernel_of_one_array(x):
    """both results of a kernel have the place of an operand, and both operands are x"""
    from jax.experimental import pallas

    def kernel(first, second, more, twice):
        more[...] = first[...] + 1
        twice[...] = second[...] * 2

    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    aliases = {0: 0, 1: 1}
    return pallas.pallas_call(kernel, out_shape=(result, result), input_output_aliases=aliases)(x, x)


def sums_in_collective_memory(x):
    """an array in the memory of collectives is made of one that is not"""
    alone = jax.lax.optimization_barrier

    def each(x):
        total = alone(jax.lax.psum(alone(jnp.sin(x)), "x").sum())
        a = alone(jnp.cos(total + jnp.arange(1024.0)))
        b = alone(jnp.sin(a))
        c = jax.lax.psum(alone(b[::4] * 2), "x")
        return alone(b[::4] + b[1::4] + b[2::4] + c)[:8]

    split = jax.sharding.PartitionSpec("x")
    return jax.shard_map(each, mesh=MESH, in_specs=split, out_specs=split)(x)


def transpose_and_itself(x):
    """a fusion reads one array as it is and transposed, and writes over it"""
    alone = jax.lax.optimization_barrier
    rolled = alone(jnp.roll(x, 1, 0))
    return rolled + alone(rolled.T)


def rows_after_branches(a, b, i):
    """rows of a donated argument are sorted with rows of what replaces it"""
    zeros = lambda x: jax.lax.fori_loop(0, 3, lambda _, s: (jnp.zeros_like(x), s[0]), (x, x))[1]
    c = jax.lax.switch(i, [zeros, lambda x: x], b)
    return c, jax.lax.sort((a[:8], c[:8]), dimension=0, num_keys=1)


def stream_in_a_stream(x, y):
    """a stream waits for another one, while the first stream goes on"""
    from jax.experimental.xla_metadata import set_xla_metadata

    def stream(number, function, x):
        annotations = {"_xla_stream_annotation": number, "inlineable": "false"}
        return set_xla_metadata(jax.jit(function)(x), **annotations)

    inner = lambda x: jnp.sin(x) @ x
    return stream("1", lambda x: stream("2", inner, x) @ x, x) + y @ y


def row_doubled_once(x, w):
    """a row is doubled in place, with so little memory that all of x is made again"""
    y = x.at[0].mul(2)
    return jax.lax.optimization_barrier(jnp.sin(y @ w) @ w) @ y


def zeros_and_sum(a):
    """a donated argument becomes zeros, and a loop adds up what its rows were"""
    rows = jax.lax.fori_loop(0, 8, lambda i, total: total + a[i], a[0])
    return jnp.zeros_like(a), rows


def product_into_its_factor(x, w):
    """a matrix of a donated stack is multiplied, and the product replaces it"""
    return jax.lax.dynamic_update_slice(x, (x[1] @ w)[None], (1, 0, 0))


# The arguments' types and shapes, and over how many devices they are split.
PROGRAMS = {
    shift_row: (1, ("int32", 8, 16)),
    broadcast_of_old_vector: (1, ("float32", 128), ("float32", 8, 128)),
    loop_over_bytes: (1, ("int8", 32, 128)),
    update_bytes: (1, ("int8", 32, 128), ("int8", 128), ("int32",)),
    two_paddings: (4, ("float32", 8), ("float32", 20)),
    update_with_quotient: (1, ("float32", 64, 128), ("int32",)),
    loop_of_one_array: (1, ("int32", 8, 16), ("int32", 8, 16)),
    loop_on_a_stream: (1, ("float32", 8, 128), ("int32",)),
    two_results_of_zeros: (1, ("int32", 8, 1), ("int32", 8)),
    kernel_of_one_array: (1, ("float32", 8, 128)),
    sums_in_collective_memory: (4, ("float32", 16384)),
    transpose_and_itself: (1, ("float32", 64, 64)),
    rows_after_branches: (1, ("float32", 16, 256), ("float32", 16, 256), ("int32",)),
    stream_in_a_stream: (1, ("float32", 32, 32), ("float32", 32, 32)),
    row_doubled_once: (1, ("float32", 128, 128), ("float32", 128, 128)),
    zeros_and_sum: (1, ("int32", 8, 16)),
    product_into_its_factor: (1, ("float16", 3, 256, 256), ("float16", 256, 256)),
}
# Those whose first argument is donated.
DONATED = [rows_after_branches, row_doubled_once, zeros_and_sum, product_into_its_factor]
# Flags of the compiler without which it does not show the defect.
FLAGS = {
    loop_of_one_array: "--xla_cpu_copy_insertion_use_region_analysis=true",
    sums_in_collective_memory: "--xla_gpu_enable_nccl_user_buffers=true",
    zeros_and_sum: "--xla_cpu_copy_insertion_use_region_analysis=true",
    product_into_its_factor: "--xla_gpu_enable_triton_gemm=false",
}
# The bytes of a GPU's memory, where it has to be full.
MEMORY = {row_doubled_once: 60000}
MESH = None


def donated(function):
    return (0,) if function in DONATED else ()


def gpu_for(function):
    """An H100, with less memory for some programs."""
    size = MEMORY.get(function)
    return re.sub(r"(device_memory_size:) \d+", rf"\1 {size}", H100) if size else H100


def topology(target, count, gpu=H100):
    from jax.experimental import topologies

    if target == "cuda":
        name = f"1x1x{count}"
        options = {"topology": name, "target_config": gpu}
        return topologies.get_topology_desc(platform="cuda", topology_name=name, **options)
    options = {"topology_name": f"{target}:2x2x1", "chips_per_host_bounds": (2, 2, 1)}
    return topologies.get_topology_desc(platform="tpu", **options)


def compile_ahead(function, target, count, shapes):
    devices = np.array(topology(target, count, gpu_for(function)).devices[:count])
    global MESH
    MESH = mesh = jax.sharding.Mesh(devices, ("x",))
    split = ("x",) if count > 1 else ()
    placed = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*split))
    types = [jax.ShapeDtypeStruct(sides, kind) for kind, *sides in shapes]
    options = {"in_shardings": placed, "out_shardings": placed}
    jax.jit(function, donate_argnums=donated(function), **options).lower(*types).compile()


def numbers(kind, *sides):
    return jnp.asarray(np.arange(np.prod(sides, dtype=int)).reshape(sides), kind)


def count_wrong(function, shapes):
    """The numbers of the compiled program that are not those of its steps."""
    arguments = lambda: [numbers(*shape) for shape in shapes]
    jitted = jax.jit(function, donate_argnums=donated(function))
    compiled = jax.tree.leaves(jitted(*arguments()))
    with jax.disable_jit():
        stepwise = jax.tree.leaves(function(*arguments()))
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(compiled, stepwise, strict=True)]
    wrong = sum(int((a != b).sum()) for a, b in pairs)
    return f"{wrong} of {sum(a.size for a, _ in pairs)} wrong"


def main():
    name, target = sys.argv[1:]
    [(function, (count, *shapes))] = [p for p in PROGRAMS.items() if p[0].__name__ == name]
    given = os.environ.get("XLA_FLAGS", "").split()
    os.environ["XLA_FLAGS"] = " ".join([*given, *FLAGS.get(function, "").split()])
    if target == "cpu":
        print(count_wrong(function, shapes))
    else:
        compile_ahead(function, target, count, shapes)


if __name__ == "__main__":
    main()
