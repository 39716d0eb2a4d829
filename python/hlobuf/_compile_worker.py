"""Compiles HLO texts for hlobuf-reduce, which runs this as `python -c`.

  python -c PROGRAM TARGET FOLDER FLAGS

It prints `ready`, and then answers each line of standard input, a verb and its
arguments separated by tabs, with one line:

  compile FILE            ok | failed WHY     XLA dumps to FOLDER
  run FILE                ok | wrong HOW MUCH | failed WHY     cpu only
  reproduce FILE TO       ok runs | ok compiles | failed WHY     a program that shows the defect
  hlo FILE TO             ok | failed WHY     from StableHLO, as text or bytecode
  stablehlo FILE TO       ok | failed WHY
  version                 ok jax 0.12.0, jaxlib 0.12.0, libtpu 0.0.52
  system                  ok the same with Python and machine

Compiles with jax 0.4.25 and later; the other verbs need 0.6. A target is `cpu`, `tpu:v5e`, `tpu:v5e:2x2x1`,
`cuda:h100`, or `cuda:FILE` with the text proto of a GPU. TPU and CUDA compile ahead of
time: no accelerator is needed.
"""

import importlib
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import warnings
from importlib import metadata
from typing import Any

# The current folder may hold modules with the names of others.
sys.path[:] = [path for path in sys.path if path]

ENVIRONMENT = {
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "true",
    "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TPU_ACCELERATOR_TYPE": "v5litepod-4",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
}
# An H100, as far as the compiler wants to know it.
H100 = """
gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  shared_memory_per_block: 49152 shared_memory_per_core: 233472
  shared_memory_per_block_optin: 232448
  registers_per_block_limit: 65536 registers_per_core_limit: 65536
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000 l2_cache_size: 52428800
  device_memory_size: 84942979072 clock_rate_ghz: 1.98
  cuda_compute_capability { major: 9 }
}
platform_name: "CUDA"
"""
MOST_DEVICES = 8


def set_environment(platform: str, folder: str, flags: str) -> None:
    """Before jax is imported."""
    given = os.environ.get("XLA_FLAGS", "")
    own = f"--xla_dump_to={folder} --xla_dump_hlo_as_text"
    if platform == "cpu":
        own += f" --xla_force_host_platform_device_count={MOST_DEVICES}"
    if platform == "cuda":
        own += " --xla_gpu_autotune_level=0"
    os.environ["XLA_FLAGS"] = f"{given} {own} {flags}"
    for key, value in ENVIRONMENT.items():
        os.environ.setdefault(key, value)
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"


def load(module: str) -> Any:
    """A module that may not be there where types are checked."""
    return importlib.import_module(module)


class Worker:
    """The compiler for one target."""

    def __init__(self, target: str, folder: str, flags: str) -> None:
        self.platform, _, self.detail = target.partition(":")
        set_environment(self.platform, folder, flags)
        self.jax = load("jax")
        self.compiler = load("jax._src.compiler")
        self.mlir = load("jax._src.interpreters.mlir")
        self.ir = load("jaxlib.mlir.ir")
        try:
            self.xla = load("jaxlib._jax")
        except ImportError:  # jaxlib 0.5 and before
            self.xla = load("jaxlib.xla_extension")
        try:
            self.hlo = load("jaxlib._hlo")
        except ImportError:  # jaxlib 0.8 and before
            self.hlo = self.xla
        self.devices: Any = None
        self.steps: Any = None

    def find_devices(self) -> None:
        """The devices of the target; libtpu and CUDA are loaded for them."""
        if self.platform == "cpu":
            try:  # else calls of LAPACK end the process
                load("jaxlib.cpu._lapack").initialize()
            except (ImportError, AttributeError):
                pass
            self.devices = self.jax.devices()
            return
        if self.platform == "tpu":
            chip, _, shape = self.detail.partition(":")
            sides = [int(n) for n in (shape or "2x2x1").split("x")]
            name = f"{chip}:{'x'.join(map(str, sides))}"
            options: Any = {"chips_per_host_bounds": tuple((sides + [1, 1])[:3])}
        elif self.platform == "cuda":
            name = f"1x1x{MOST_DEVICES}"
            options = {"topology": name, "target_config": self.config()}
        else:
            raise ValueError(f"no target is named {self.platform}: cpu, tpu, cuda")
        described = load("jax.experimental.topologies").get_topology_desc(
            platform=self.platform, topology_name=name, **options
        )
        self.devices = described.devices

    def config(self) -> str:
        """The text proto of the GPU."""
        return H100 if self.detail in ("", "h100") else read(self.detail)

    def stablehlo(self, text: str) -> Any:
        """The module as StableHLO: bytecode, or text."""
        module = self.hlo.hlo_module_from_text(text)
        proto = module.as_serialized_hlo_module_proto()
        if hasattr(self.xla.mlir, "hlo_to_stablehlo"):
            return self.xla.mlir.hlo_to_stablehlo(proto)
        # jaxlib 0.5 and before
        computation = self.xla.XlaComputation(proto)
        return self.xla.mlir.xla_computation_to_mlir_module(computation)

    def options(self, text: str) -> tuple[Any, int]:
        """How a module is compiled, and for how many devices."""
        np = load("numpy")
        head = text.partition("\n")[0]
        counts = []
        for key in ("replica_count", "num_partitions"):
            found = re.search(rf"\b{key}=(\d+)", head)
            counts.append(int(found[1]) if found else 1)
        total = counts[0] * counts[1]
        settings: dict[str, Any] = {}
        if total > 1:
            settings["device_assignment"] = np.arange(total).reshape(counts)
        options = self.compiler.get_compile_options(
            num_replicas=counts[0], num_partitions=counts[1], **settings
        )
        build = options.executable_build_options
        build.use_spmd_partitioning = counts[1] > 1
        if counts[1] > 1:  # jax 0.4.25 has no such option
            build.use_shardy_partitioner = "xla.sdy" in text or "mesh[" in text
        return options, total

    def build(self, text: str) -> Any:
        options, count = self.options(text)
        code = self.stablehlo(text)
        with self.mlir.make_ir_context():
            return self.build_module(self.ir.Module.parse(code), options, count)

    def build_module(self, module: Any, options: Any, count: int) -> Any:
        """Compiles a module of StableHLO, in whose context this is called."""
        if self.devices is None:
            self.find_devices()
        devices = tuple(self.devices[:count])
        if len(devices) < count:
            raise ValueError(f"it is for {count} devices, of which there are not enough")
        client = devices[0].client
        compile_it = client.compile
        if self.platform == "cpu" and hasattr(client, "compile_and_load"):
            compile_it = client.compile_and_load
        found = self.xla.DeviceList(devices)
        try:
            return compile_it(module, executable_devices=found, compile_options=options)
        except TypeError:  # jax 0.6
            bytecode = self.mlir.module_to_bytecode(module)
        try:
            return compile_it(bytecode, found, options)
        except TypeError:  # jax 0.5 and before
            return compile_it(bytecode, options)

    def compile(self, file: str) -> str:
        self.build(read(file))
        return "ok"

    def to_stablehlo(self, file: str, to: str) -> str:
        code = self.stablehlo(read(file))
        with self.mlir.make_ir_context():
            text = str(self.ir.Module.parse(code))
        with open(to, "w", encoding="utf-8") as out:
            out.write(text)
        return "ok"

    def to_hlo(self, file: str, to: str) -> str:
        with open(file, "rb") as given, self.mlir.make_ir_context():
            module = self.ir.Module.parse(given.read())
            code = self.mlir.module_to_bytecode(module)
        # Both are off by default in some releases only.
        made = self.xla.mlir.mlir_module_to_xla_computation(code, False, False)
        with open(to, "w", encoding="utf-8") as out:
            out.write(made.as_hlo_text())
        return "ok"

    def run(self, file: str) -> str:
        """Compares the numbers with those of the same operations, each compiled and run
        alone."""
        np = load("numpy")
        compiled = function_of(self.build(read(file)))
        _, given, expected = self.evaluate(file)
        found = [np.asarray(x) for x in compiled(self.arrays(given))]
        wrong = sum(differences(a, b) for a, b in zip(found, expected))
        total = sum(int(x.size) for x in expected)
        return f"{'wrong' if wrong else 'ok'} {wrong} of {total} numbers are wrong"

    def stepwise(self) -> Any:
        """Kept, since most operations of a candidate were in the one before it."""
        if self.steps is None:
            options = self.options("")[0]
            # hlobuf-reduce puts _stepwise.py and _reproducer.py in front of this file.
            kind = globals().get("Stepwise") or load("hlobuf._stepwise").Stepwise
            self.steps = kind(
                self.ir, lambda module: function_of(self.build_module(module, options, 1))
            )
        return self.steps

    def arrays(self, arguments: list[str]) -> list[Any]:
        """The numbers that expressions stand for, on the device."""
        names = {"np": load("numpy"), "jax": self.jax}
        return [
            self.jax.device_put(eval(text, names), self.devices[0])  # our own text
            for text in arguments
        ]

    def evaluate(self, file: str) -> tuple[str, list[str], list[Any]]:
        """The program as StableHLO, its arguments as expressions, its results."""
        code = self.stablehlo(read(file))
        with self.mlir.make_ir_context():
            module = self.ir.Module.parse(code)
            given = [
                argument(str(kind), number)
                for number, kind in enumerate(input_types(self.ir, module))
            ]
            results = self.stepwise().run(module, self.arrays(given))
            return str(module), given, [load("numpy").asarray(x) for x in results]

    def reproduce(self, file: str, to: str) -> str:
        """Writes a program that runs and shows wrong numbers, or one that compiles."""
        if self.platform == "cpu" and self.runs_wrong(file, to):
            return "ok runs"
        write = globals().get("compiling") or load("hlobuf._reproducer").compiling
        text = read(file)
        target = f"{self.platform}:{self.detail}" if self.detail else self.platform
        found = re.search(r"\bnum_partitions=(\d+)", text.partition("\n")[0])
        count = int(found[1]) if found else 1
        versions = self.version().removeprefix("ok ")
        with open(to, "w", encoding="utf-8") as out:
            out.write(write(text, target, count, versions))
        if self.platform == "cuda":
            config = os.path.join(os.path.dirname(to), "gpu.txtpb")
            with open(config, "w", encoding="utf-8") as out:
                out.write(self.config())
        return "ok compiles"

    def runs_wrong(self, file: str, to: str) -> bool:
        """Writes a program that runs the module and compares its numbers; true if it
        does find wrong ones."""
        write = globals().get("reproducer") or load("hlobuf._reproducer").reproducer
        try:
            text = write(*self.evaluate(file), self.version().removeprefix("ok "))
        except Exception:  # of any kind: not each program can be run, or written
            return False
        with open(to, "w", encoding="utf-8") as out:
            out.write(text)
        kept = {k: v for k, v in os.environ.items() if k not in ("XLA_FLAGS", "PYTHONPATH")}
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [sys.executable, os.path.abspath(to)],
                cwd=folder, env=kept, check=False, capture_output=True,
            )
        return run.returncode == 1

    def version(self) -> str:
        packages = ["jax", "jaxlib"]
        if self.platform == "tpu":
            packages.append("libtpu")
        if self.platform == "cuda":
            packages += ["jax-cuda12-plugin", "jax-cuda13-plugin"]
        found = []
        for package in packages:
            try:
                found.append(f"{package} {metadata.version(package)}")
            except metadata.PackageNotFoundError:
                pass
        return "ok " + ", ".join(found)

    def system(self) -> str:
        return f"{self.version()}, Python {platform.python_version()}, {platform.platform()}"

    def answer(self, line: str) -> str:
        verb, *arguments = line.rstrip("\t").split("\t")
        verbs: Any = {
            "compile": self.compile,
            "run": self.run,
            "reproduce": self.reproduce,
            "hlo": self.to_hlo,
            "stablehlo": self.to_stablehlo,
            "version": self.version,
            "system": self.system,
        }
        try:
            answer: str = verbs[verb](*arguments)
            return answer
        except Exception as error:  # of any kind: XLA's own are many
            first = (str(error).splitlines() or [""])[0]
            return f"failed {type(error).__name__}: {first[:300]}"


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def input_types(ir: Any, module: Any) -> Any:
    for operation in module.body.operations:
        if operation.operation.attributes["sym_name"].value == "main":
            return operation.type.inputs
    raise ValueError("there is no function main")


def function_of(executable: Any) -> Any:
    """Calls an executable for one device."""

    def call(given: list[Any]) -> list[Any]:
        results = executable.execute_sharded(given)
        return [shards[0] for shards in results.disassemble_into_single_device_arrays()]

    return call


def argument(kind: str, number: int) -> str:
    """Numbers for an argument of a type such as `tensor<8x16xf32>`, as an expression:
    small, exact in 16 bits, and no two next to each other are the same."""
    sizes = re.split(r"x(?![<>])", kind[len("tensor<") : -1])
    shape = tuple(int(size) for size in sizes[:-1])
    name = sizes[-1]
    values = f"(np.arange({math.prod(shape)}) * 7 + {3 * number + 1}) % 113"
    if not shape:
        values = str((3 * number + 1) % 113 % 3) + " + np.arange(1)"
    if name == "i1":
        return f"(({values}) % 2 == 1).reshape({shape})"
    if name.startswith(("i", "ui")):
        bits = int(name.lstrip("ui"))
        kinds = f"{'u' if name.startswith('u') else ''}int{bits}"
        return f"({values}).reshape({shape}).astype(np.{kinds})"
    if shape:
        values = f"({values} - 56) / 64"
    if name.startswith("complex<f"):
        kinds = f"np.complex{2 * int(name[9:-1])}"
        return f"(({values}) * (1 + 0.5j)).reshape({shape}).astype({kinds})"
    if name == "bf16":
        return f"({values}).reshape({shape}).astype(jax.numpy.bfloat16)"
    if name not in ("f16", "f32", "f64"):
        raise ValueError(f"no numbers are known for {kind}")
    return f"({values}).reshape({shape}).astype(np.float{name[1:]})"


def differences(found: Any, expected: Any) -> int:
    """How many numbers differ by more than rounding does."""
    np = load("numpy")
    if found.dtype.kind in "biu":
        return int((found != expected).sum())
    # Sums in another order differ in the last bits, of which 16 bits have few.
    tolerance = 1e-3 if found.dtype.itemsize > 2 else 4e-2
    wide = complex if found.dtype.kind == "c" else float
    found, expected = found.astype(wide), expected.astype(wide)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 0.0
    with np.errstate(all="ignore"):
        close = np.isclose(
            found, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True
        )
    return int((~close).sum())


def main() -> None:
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    target, folder, flags = sys.argv[1:]
    worker = Worker(target, folder, flags)
    print("ready", file=answers)
    for line in sys.stdin:
        print(worker.answer(line.rstrip("\n")), file=answers)


if __name__ == "__main__":
    main()
