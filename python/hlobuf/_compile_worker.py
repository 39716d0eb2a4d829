"""Compiles HLO texts for hlobuf-reduce, which runs this as `python -c`.

  python -c PROGRAM TARGET FOLDER FLAGS

It prints `ready`, and then answers each line of standard input, a verb and its
arguments separated by tabs, with one line:

  compile FILE            ok | failed WHY     XLA dumps to FOLDER
  run FILE                ok | wrong HOW MUCH | failed WHY     cpu only
  hlo FILE TO             ok | failed WHY     from StableHLO, as text or bytecode
  stablehlo FILE TO       ok | failed WHY
  config TO               ok | failed WHY     the GPU, cuda only
  version                 ok jax 0.12.0, jaxlib 0.12.0, libtpu 0.0.52

Compiles with jax 0.4.25 and later; the other verbs need 0.6. A target is `cpu`, `tpu:v5e`, `tpu:v5e:2x2x1`,
`cuda:h100`, or `cuda:FILE` with the text proto of a GPU. TPU and CUDA compile ahead of
time: no accelerator is needed.
"""

import importlib
import os
import re
import sys
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

    def find_devices(self) -> None:
        """The devices of the target; libtpu and CUDA are loaded for them."""
        if self.platform == "cpu":
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

    def save_config(self, to: str) -> str:
        with open(to, "w", encoding="utf-8") as out:
            out.write(self.config())
        return "ok"

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
        if self.devices is None:
            self.find_devices()
        options, count = self.options(text)
        code = self.stablehlo(text)
        devices = tuple(self.devices[:count])
        if len(devices) < count:
            raise ValueError(f"it is for {count} devices, of which there are not enough")
        client = devices[0].client
        compile_it = client.compile
        if self.platform == "cpu" and hasattr(client, "compile_and_load"):
            compile_it = client.compile_and_load
        found = self.xla.DeviceList(devices)
        with self.mlir.make_ir_context():
            module = self.ir.Module.parse(code)
            try:
                return compile_it(
                    module, executable_devices=found, compile_options=options
                )
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
        """Compares the numbers with those of the interpreter of StableHLO."""
        np = load("numpy")
        text = read(file)
        executable = self.build(text)
        code = self.stablehlo(text)
        with self.mlir.make_ir_context():
            module = self.ir.Module.parse(code)
            arguments = [
                argument(str(kind), number)
                for number, kind in enumerate(input_types(self.ir, module))
            ]
            expected = interpret(self.ir, module, arguments)
        given = [self.jax.device_put(x, self.devices[0]) for x in arguments]
        results = executable.execute_sharded(given)
        found = [
            np.asarray(shards[0])
            for shards in results.disassemble_into_single_device_arrays()
        ]
        wrong = sum(differences(a, b) for a, b in zip(found, expected))
        total = sum(int(x.size) for x in expected)
        return f"{'wrong' if wrong else 'ok'} {wrong} of {total} numbers are wrong"

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

    def answer(self, line: str) -> str:
        verb, *arguments = line.rstrip("\t").split("\t")
        verbs: Any = {
            "compile": self.compile,
            "run": self.run,
            "hlo": self.to_hlo,
            "stablehlo": self.to_stablehlo,
            "version": self.version,
            "config": self.save_config,
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


def argument(kind: str, number: int) -> Any:
    """Numbers for an argument of a type such as `tensor<8x16xf32>`: small, and no two
    next to each other are the same."""
    np = load("numpy")
    sizes = kind[len("tensor<") : -1].split("x")
    shape = [int(size) for size in sizes[:-1]]
    name = sizes[-1]
    count = int(np.prod(shape, dtype=int))
    values = (np.arange(count) * 7 + 3 * number + 1) % 113
    if not shape:
        values = values % 3
    if name == "i1":
        kinds: Any = bool
    elif name.startswith(("i", "ui")):
        bits = int(name.lstrip("ui"))
        kinds = f"{'u' if name.startswith('u') else ''}int{bits}"
    elif name in ("f16", "f32", "f64"):
        kinds = f"float{name[1:]}"
    elif name == "bf16":
        kinds = load("ml_dtypes").bfloat16
    else:
        raise ValueError(f"no numbers are known for {kind}")
    return values.reshape(shape).astype(kinds)


def interpret(ir: Any, module: Any, arguments: Any) -> list[Any]:
    np, stablehlo = load("numpy"), load("jaxlib.mlir.dialects.stablehlo")
    if hasattr(stablehlo, "register_interpreter_dialect"):
        stablehlo.register_interpreter_dialect(module.context)
    given = []
    for x, kind in zip(arguments, input_types(ir, module)):
        raw = x
        if x.dtype == bool:
            raw = np.packbits(x, bitorder="little")
        elif x.dtype.name == "bfloat16":
            raw = x.view(np.uint16)
        element = ir.RankedTensorType(kind).element_type
        given.append(
            ir.DenseElementsAttr.get(
                np.ascontiguousarray(raw), type=element, shape=list(x.shape)
            )
        )
    return [to_array(ir, each) for each in stablehlo.eval_module(module, given)]


def to_array(ir: Any, attribute: Any) -> Any:
    """The numbers of a dense attribute."""
    np = load("numpy")
    shape = ir.RankedTensorType(attribute.type).shape
    element = str(ir.RankedTensorType(attribute.type).element_type)
    if element == "bf16":
        raise ValueError("bf16 results cannot be read")
    return np.array(attribute).reshape(shape)


def differences(found: Any, expected: Any) -> int:
    """How many numbers differ by more than rounding does."""
    np = load("numpy")
    if found.dtype.kind in "biu":
        return int((found != expected).sum())
    with np.errstate(all="ignore"):
        close = np.isclose(found, expected, rtol=1e-3, atol=1e-3, equal_nan=True)
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
