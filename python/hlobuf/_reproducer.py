"""Python programs that show a defect with nothing but jax, for hlobuf-reduce: one runs a
module of StableHLO on the CPU and compares its numbers, the other one compiles a module
of HLO for any target."""

from typing import Any

REPRODUCER = '''"""Compiles and runs the program below for CPU and compares its numbers with those of its
operations, each compiled and run alone. Exits with 1 if they differ. XLA dumps to the
folder `dump`.

Needs @VERSIONS@.
"""

import os
import sys

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_dump_to=dump --xla_dump_hlo_as_text"
)
import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jaxlib.mlir import ir

PROGRAM = r"""
@PROGRAM@"""
ARGUMENTS = [
@ARGUMENTS@]
EXPECTED = [
@EXPECTED@]

program = Primitive("program")
program.multiple_results = True


@program.def_abstract_eval
def shapes(*arguments):
    return [jax.core.ShapedArray(x.shape, x.dtype) for x in EXPECTED]


def lower(context, *operands):
    """Puts the operations of PROGRAM in the place of one."""
    for function in ir.Module.parse(PROGRAM).body.operations:
        if function.attributes["sym_name"].value != "main":
            body = context.module_context.module.body
            function.operation.clone(ip=ir.InsertionPoint(body))
            continue
        block = function.regions[0].blocks[0]
        known = dict(zip(block.arguments, operands))
        for operation in block.operations:
            given = [known[value] for value in operation.operands]
            if operation.operation.name == "func.return":
                results = given
                continue
            copy = operation.operation.clone()
            for number, value in enumerate(given):
                copy.operands[number] = value
            known.update(zip(operation.results, copy.results))
    return results


mlir.register_lowering(program, lower)
jax.config.update("jax_platforms", "cpu")
actual = jax.jit(program.bind)(*ARGUMENTS)
wrong = 0
for found, expected in zip(actual, EXPECTED):
    found = np.asarray(found)
    scale = np.abs(expected.astype(np.float64)).max(initial=0)
    differs = ~np.isclose(found, expected, rtol=1e-3, atol=1e-3 * scale, equal_nan=True)
    wrong += int(differs.sum())
    print("expected", expected, "actual", found, sep="\\n")
print(wrong, "of", sum(x.size for x in EXPECTED), "numbers are wrong")
sys.exit(wrong != 0)
'''
# More of them are not read by anybody.
MOST_NUMBERS = 4096


def reproducer(
    program: str, arguments: list[str], expected: list[Any], versions: str
) -> str:
    """The text of the program; `arguments` are expressions of numpy."""
    known = {"bool", "float16", "float32", "float64"}
    for array in expected:
        if array.dtype.kind not in "iu" and array.dtype.name not in known:
            raise ValueError(f"numbers of type {array.dtype} cannot be written")
    if sum(array.size for array in expected) > MOST_NUMBERS:
        raise ValueError("there are too many results to write")
    parts = {
        "VERSIONS": versions,
        "PROGRAM": program,
        "ARGUMENTS": "".join(f"    {text},\n" for text in arguments),
        "EXPECTED": "".join(f"    {literal(array)},\n" for array in expected),
    }
    return filled(REPRODUCER, parts)


def literal(array: Any) -> str:
    """`array` as an expression of numpy."""
    values = repr(array.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({values}, np.{array.dtype.name}).reshape({array.shape})"


COMPILER = '''"""Compiles the program below for @TARGET@; XLA dumps to the folder `dump`.

Needs @VERSIONS@.
"""

import os

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_dump_to=dump --xla_dump_hlo_as_text@FLAGS@"
)
os.environ["JAX_PLATFORMS"] = "cpu"
@ENVIRONMENT@
from jax._src import compiler
from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir

try:
    from jaxlib import _hlo
except ImportError:
    _hlo = _jax
import jax

HLO = r"""
@MODULE@"""

@DEVICES@
code = _jax.mlir.hlo_to_stablehlo(
    _hlo.hlo_module_from_text(HLO.lstrip()).as_serialized_hlo_module_proto()
)
options = compiler.get_compile_options(num_replicas=1, num_partitions=@COUNT@)
@SHARDED@client = devices[0].client
compile_it = client.@COMPILE@
with mlir.make_ir_context():
    compile_it(
        ir.Module.parse(code),
        executable_devices=_jax.DeviceList(tuple(devices[:@COUNT@])),
        compile_options=options,
    )
'''
TPU_ENVIRONMENT = '''os.environ.update(
    TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_SKIP_MDS_QUERY="1",
    TPU_WORKER_HOSTNAMES="localhost", TPU_WORKER_ID="0",
)
'''
SHARDED = '''import numpy as np

options = compiler.get_compile_options(
    num_replicas=1, num_partitions=@COUNT@,
    device_assignment=np.arange(@COUNT@).reshape(1, @COUNT@),
)
options.executable_build_options.use_spmd_partitioning = True
options.executable_build_options.use_shardy_partitioner = True
'''
DEVICES = '''from jax.experimental import topologies

@CONFIG@devices = topologies.get_topology_desc(
    platform="@PLATFORM@", topology_name="@NAME@", @SETTINGS@
).devices'''
CONFIG = '''HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = open(os.path.join(HERE, "gpu.txtpb")).read()
'''


def compiling(module: str, target: str, count: int, versions: str) -> str:
    """The text of a program that compiles `module`, HLO for `count` devices, for
    `target`; one for CUDA reads the GPU from `gpu.txtpb` next to it."""
    platform, _, detail = target.partition(":")
    chip, _, sides = detail.partition(":")
    flags = ""
    if platform == "cuda":
        flags = " --xla_gpu_autotune_level=0"
    elif platform == "cpu" and count > 1:
        flags = f" --xla_force_host_platform_device_count={count}"
    name = f"1x1x{count}"
    settings = f'topology="{name}", target_config=CONFIG'
    if platform == "tpu":
        sides = sides or "2x2x1"
        name = f"{chip}:{sides}"
        settings = f"chips_per_host_bounds=({sides.replace('x', ', ')})"
    parts = {
        "TARGET": target,
        "VERSIONS": versions,
        "FLAGS": flags,
        "ENVIRONMENT": TPU_ENVIRONMENT if platform == "tpu" else "",
        "DEVICES": "devices = jax.devices()" if platform == "cpu" else DEVICES,
        "CONFIG": CONFIG if platform == "cuda" else "",
        "PLATFORM": platform,
        "NAME": name,
        "SETTINGS": settings,
        "SHARDED": SHARDED if count > 1 else "",
        "COUNT": str(count),
        "COMPILE": "compile_and_load" if platform == "cpu" else "compile",
        "MODULE": module,
    }
    return filled(COMPILER, parts)


def filled(text: str, parts: dict[str, str]) -> str:
    """`text` with each `@KEY@` replaced by what `parts` has for it."""
    for key, value in parts.items():
        text = text.replace(f"@{key}@", value)
    return text
