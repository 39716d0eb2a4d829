#!/usr/bin/env python3
"""resident.py HLOBUF_VERIFY [--only REGEX]: what programs take while they run on a CPU,
against what hlobuf-verify --summary says. Needs jax on Linux.

Each program is run in a process of its own: its resident memory once it is compiled and
has its arguments, and the most while it runs for the first time. The difference is to be
results and temps, and what the summary names as outside of the assignment.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MIB = 1 << 20
# Of the measured bytes.
CLOSE = 0.15


# By name: a function of jax, jnp, lax, and the shapes of its arguments, as `f32[8,16]`.
PROGRAMS = {
    "elementwise": ("lambda x: (jnp.sin(x) * 2, jnp.cos(x).sum())", "f32[67108864]"),
    "matmul": ("lambda x, y: jnp.tanh(x @ y) @ y", "f32[6144,6144] f32[6144,6144]"),
    "matmul_bf16": ("lambda x, y: (x @ y) @ y", "bf16[6144,6144] bf16[6144,6144]"),
    "matmul_int8": (
        "lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32)",
        "s8[8192,8192] s8[8192,8192]",
    ),
    "batched_matmul": ("lambda x, y: jnp.einsum('bij,bjk->bik', x, y)",
                       "f32[64,1024,1024] f32[64,1024,256]"),
    "convolutions": ("convolutions", "f32[3,3,64,64] f32[16,128,128,64]"),
    "convolution_gradient": ("jax.grad(lambda k, x: (convolutions(k, x) ** 2).mean())",
                             "f32[3,3,64,64] f32[8,128,128,64]"),
    "attention": ("attention", "f32[16,2048,64] f32[16,2048,64] f32[16,2048,64]"),
    "train_scan": ("train", "f32[16,1024,1024] f32[4096,1024]"),
    "normalize": ("lambda x: normalize(normalize(x) * 2)", "f32[8192,8192]"),
    "softmax_gradient": ("jax.grad(lambda x: (jax.nn.softmax(x) ** 2).sum())", "f32[8192,8192]"),
    "sort": ("jnp.sort", "f32[33554432]"),
    "argsort": ("jnp.argsort", "f32[33554432]"),
    "fft": ("lambda x: jnp.fft.fft2(x).real", "f32[64,1024,1024]"),
    "fft_long": ("lambda x: jnp.abs(jnp.fft.fft(x))", "f32[33554432]"),
    "scatter": ("lambda t, i, u: t.at[i].add(u)", "f32[1048576,64] s32[524288] f32[524288,64]"),
    "top_k": ("lambda x: lax.top_k(x, 64)", "f32[4096,16384]"),
    "cholesky": ("lambda x: jnp.linalg.cholesky(jnp.eye(6144) + x)", "f32[6144,6144]"),
    "qr": ("jnp.linalg.qr", "f32[4096,2048]"),
    "eigh": ("jnp.linalg.eigh", "f32[2048,2048]"),
    "svd": ("lambda x: jnp.linalg.svd(x, full_matrices=False)", "f32[1536,1536]"),
    "random": ("lambda k: jax.random.normal(jax.random.wrap_key_data(k), (1 << 26,))", "u32[2]"),
    "cumsum": ("lambda x: jnp.cumsum(x, 0)", "f32[4096,16384]"),
    "pooling": ("pooling", "f32[32,128,128,64]"),
}  # fmt: skip


def convolution(x, kernel):
    from jax import lax

    dimensions = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=dimensions)


def convolutions(kernel, x):
    import jax

    for _ in range(4):
        x = jax.nn.relu(convolution(x, kernel))
    return x


def pooling(x):
    from jax import lax

    window = (1, 3, 3, 1)
    return lax.reduce_window(x, -float("inf"), lax.max, window, (1, 1, 1, 1), "SAME")


def attention(q, k, v):
    import jax
    import jax.numpy as jnp

    scores = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) / 8)
    return jnp.einsum("bqk,bkd->bqd", scores, v)


def train(weights, x):
    import jax
    import jax.numpy as jnp
    from jax import lax

    def loss(weights):
        return (lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, weights)[0] ** 2).mean()

    return weights - 0.1 * jax.grad(loss)(weights)


def normalize(x):
    import jax.numpy as jnp

    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def make(text):
    """An array like `f32[8,16]`, filled, without a program of jax."""
    import ml_dtypes
    import numpy

    name, _, dimensions = text.rstrip("]").partition("[")
    types = {"f32": numpy.float32, "bf16": ml_dtypes.bfloat16, "s8": numpy.int8,
             "s32": numpy.int32, "u32": numpy.uint32}  # fmt: skip
    shape = [int(number) for number in dimensions.split(",")]
    random = numpy.random.default_rng(0)
    if name in ("f32", "bf16"):
        return random.random(shape, numpy.float32).astype(types[name], copy=False)
    return random.integers(0, 100, shape, types[name])


def status(key):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def run_one(name, folder):
    """In a process of its own: prints bytes before, and the most while running."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    function, shapes = PROGRAMS[name]
    function = eval(function, {**globals(), "jax": jax, "jnp": jnp, "lax": lax})
    arguments = [jax.device_put(make(shape)) for shape in shapes.split()]
    options = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True}
    compiled = jax.jit(function).lower(*arguments).compile(compiler_options=options)
    jax.block_until_ready(arguments)
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    jax.block_until_ready(compiled(*arguments))
    print(json.dumps({"before": before, "peak": status("VmHWM")}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--run", nargs=2, default=None)
    options = parser.parse_args()
    if options.run:
        run_one(*options.run)
        return
    counts = {}
    for name in PROGRAMS:
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, options.tool, "--run", name, folder]
            environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
            run = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment)
            took = json.loads(run.stdout)
            report = subprocess.run(
                [options.tool, "--checks=-*", "--summary", "--format=json", folder],
                capture_output=True, text=True, check=False)  # fmt: skip
        summary = json.loads(report.stdout.splitlines()[0])["summary"]
        # Arguments are resident before. What an operation takes outside is there while it runs,
        # when results of later ones have no memory yet.
        kinds = summary["kinds"]
        stated = sum(kinds[kind] for kind in ("constant", "live_out", "temp", "other"))
        rows = summary.get("outside", [])
        expected, most = stated, stated
        for row in rows:
            used = row.get("used_bytes", stated + kinds["parameter"]) - kinds["parameter"]
            expected = max(expected, used + row.get("bytes", 0))
            most = max(most, used + row.get("bytes", row.get("most_bytes", 0)))
        unknown = [row["what"] for row in rows if "bytes" not in row and "most_bytes" not in row]
        measured = took["peak"] - took["before"]
        off = (measured - expected) / measured
        # Of what libraries take only the most is known, or nothing.
        verdict = (
            "close" if abs(off) <= CLOSE
            else "below the most" if measured <= most * (1 + CLOSE)
            else "said to be unknown" if unknown
            else "WRONG"
        )  # fmt: skip
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{name}: {measured / MIB:.0f} MiB, allocations {stated / MIB:.0f} MiB, with what is"
              f" outside {expected / MIB:.0f} MiB, at most {most / MIB:.0f} MiB,"
              f" {', '.join(unknown) or 'nothing'} unknown: {off:+.0%}, {verdict}",
              flush=True)  # fmt: skip
    print(counts)


if __name__ == "__main__":
    main()
