"""Runs edited CPU executables next to their originals, in a process that may die.

runner.py JOBS FIRST: JOBS is a JSON list of {"source", "edited", "seed"}; those from
number FIRST on are run, and a line of JSON is printed for each. The edited program runs
first, on inputs that the original has not seen yet: what it does not compute is not in
memory from a run before.
"""

import json
import os
import sys

DEVICES = 8
RUNS = 3

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.setdefault(
    "XLA_FLAGS", f"--xla_force_host_platform_device_count={DEVICES}"
)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

# pylint: disable=wrong-import-position
import jax
import numpy as np
from jax._src.lib import lapack, xla_client

from executable import read_executable

# xla/xla_data.proto, PrimitiveType
TYPES = {
    1: "bool",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "uint8",
    7: "uint16",
    8: "uint32",
    9: "uint64",
    10: "float16",
    11: "float32",
    12: "float64",
    15: "complex64",
    16: "bfloat16",
    18: "complex128",
    19: "float8_e5m2",
    20: "float8_e4m3fn",
}
HOST_PROGRAM_SHAPE = 4


class Unable(Exception):
    """A program that cannot be run here."""


def random_array(shape, rng):
    """Small numbers, so that they serve as counts, indices and indices of branches."""
    name = TYPES.get(shape.number(2))
    if not name:
        raise Unable(f"type {shape.number(2)}")
    dimensions = shape.numbers(3)
    if name == "bool":
        return rng.random(dimensions) < 0.5
    if "int" in name:
        return rng.integers(0, 6, dimensions).astype(name)
    values = rng.uniform(-1, 1, dimensions)
    return np.asarray(values).astype(jax.numpy.dtype(name))


class Loaded:
    """An executable, ready to be run on as many devices as it was made for."""

    def __init__(self, path, count):
        with open(path, "rb") as f:
            data = f.read()
        self.devices = tuple(jax.devices()[:count])
        load = jax.devices()[0].client.deserialize_executable
        try:
            self.program = load(data, xla_client.DeviceList(self.devices))
        except TypeError:  # jaxlib 0.5
            self.program = self.load_with_options(load, data)
        except Exception as reason:  # pylint: disable=broad-except
            raise Unable(str(reason)) from reason

    def load_with_options(self, load, data):
        options = xla_client.CompileOptions()
        options.num_partitions = len(self.devices)
        places = np.array([[device.id for device in self.devices]])
        options.device_assignment = xla_client.DeviceAssignment.create(places)
        try:
            return load(data, options)
        except Exception as reason:  # pylint: disable=broad-except
            raise Unable(str(reason)) from reason

    def put(self, array):
        """One array for each device, as one that is sharded."""
        if len(self.devices) == 1:
            return jax.device_put(array, self.devices[0])
        mesh = jax.sharding.Mesh(np.array(self.devices), ("x",))
        spec = jax.sharding.PartitionSpec(*(("x",) if array.ndim else ()))
        tiled = np.concatenate([array] * len(self.devices)) if array.ndim else array
        return jax.device_put(tiled, jax.sharding.NamedSharding(mesh, spec))

    def run(self, arrays):
        """The bytes of all results, and of all arguments that are not donated."""
        arguments = [self.put(array) for array in arrays]
        outputs = self.program.execute_sharded(arguments)
        results = outputs.disassemble_into_single_device_arrays()
        found = [np.asarray(x).tobytes() for row in results for x in row]
        kept = [np.asarray(a).tobytes() for a in arguments if not a.is_deleted()]
        return found, kept


def prepare(path, seed):
    """(devices that run an executable, its arguments for each run)"""
    executable = read_executable(path)
    module, _ = executable.parts()
    shapes = module.message(HOST_PROGRAM_SHAPE).messages(1)
    rng = np.random.default_rng(seed)
    inputs = [[random_array(shape, rng) for shape in shapes] for _ in range(RUNS)]
    return executable.devices, inputs


def outcome(job, cache):
    """(what happened, details)"""
    try:
        count, inputs = prepare(job["source"], job["seed"])
        if job["source"] not in cache:
            cache.clear()
            cache[job["source"]] = Loaded(job["source"], count)
    except Unable as reason:
        return "not run", str(reason)
    try:
        edited = Loaded(job["edited"], count)
    except Unable as reason:
        return "refused", str(reason)
    original = cache[job["source"]]
    for arrays in inputs:
        try:
            now = edited.run(arrays)
        except Exception as reason:  # pylint: disable=broad-except
            return "fails", str(reason)
        right, again = original.run(arrays), original.run(arrays)
        if right != again:
            return "not run", "the original has other numbers each time"
        if now != right:
            changed = now[0] == right[0]
            return "wrong", "an argument changes" if changed else "other numbers"
    return "right", ""


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        jobs = json.load(f)
    if hasattr(lapack, "_lapack"):
        lapack._lapack.initialize()  # pylint: disable=protected-access
    cache = {}
    for number in range(int(sys.argv[2]), len(jobs)):
        try:
            what, why = outcome(jobs[number], cache)
        except Exception as reason:  # pylint: disable=broad-except
            what, why = "not run", f"{type(reason).__name__}: {reason}"
        line = json.dumps({"number": number, "outcome": what, "why": why[:200]})
        print(line, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
