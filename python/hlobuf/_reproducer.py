"""A Python program that runs a module of StableHLO on the CPU and compares its numbers,
for hlobuf-reduce. It needs nothing but jax."""

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
    text = REPRODUCER
    for key, value in parts.items():
        text = text.replace(f"@{key}@", value)
    return text


def literal(array: Any) -> str:
    """`array` as an expression of numpy."""
    values = repr(array.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({values}, np.{array.dtype.name}).reshape({array.shape})"
