#!/usr/bin/env python3
"""make-protos.py OUT PROGRAM TARGET: compiles a program of defect_programs.py for cpu, cuda
or a TPU as in v5e, with the jax of this Python, and leaves what XLA and jax keep of it:

    OUT/PROGRAM.hlo.pb       the dump as a proto
    OUT/PROGRAM-buffer-assignment.txt    the same as a text
    OUT/PROGRAM.executable   runtime_executable().serialize()
    OUT/PROGRAM.pickle       what jax.experimental.serialize_executable makes
    OUT/cache/*-cache        the entry of jax's compilation cache
    OUT/PROGRAM.xplane.pb    for cpu: what the profiler writes

test/Inputs/protos was made so. Nothing is executed but, on cpu, the program.
"""

import os
import pickle
import sys
import tempfile
from pathlib import Path

out, program, target = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
out.mkdir(parents=True, exist_ok=True)
dumps = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = (
    f"--xla_dump_to={dumps} --xla_dump_hlo_as_proto --xla_dump_hlo_as_text"
)
if target == "cuda":
    os.environ["XLA_FLAGS"] += " --xla_gpu_autotune_level=0 --xla_gpu_cuda_data_dir=."

import defect_programs  # noqa: E402
import jax  # noqa: E402
from jax.experimental import serialize_executable  # noqa: E402

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
jax.config.update("jax_compilation_cache_dir", str(out / "cache"))
jax.config.update("jax_persistent_cache_enable_xla_caches", "none")
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

[(function, (count, *shapes))] = [
    p for p in defect_programs.PROGRAMS.items() if p[0].__name__ == program
]
types = [jax.ShapeDtypeStruct(sides, kind) for kind, *sides in shapes]
options = {}
if target != "cpu":
    devices = defect_programs.topology(target, count).devices[:count]
    mesh = jax.sharding.Mesh(defect_programs.np.array(devices), ("x",))
    split = ("x",) if count > 1 else ()
    placed = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*split))
    options = {"in_shardings": placed, "out_shardings": placed}
compiled = jax.jit(function, **options).lower(*types).compile()
executable = serialize_executable.serialize(compiled)
(out / f"{program}.pickle").write_bytes(pickle.dumps(executable))
if hasattr(compiled.runtime_executable(), "serialize"):
    (out / f"{program}.executable").write_bytes(compiled.runtime_executable().serialize())
for tail in ".hlo.pb", "-buffer-assignment.txt":
    for path in Path(dumps).glob(f"*jit_{program}*after_optimizations{tail}"):
        path.rename(out / f"{program}{tail}")
if target == "cpu":
    arguments = [defect_programs.np.zeros(sides, kind) for kind, *sides in shapes]
    quiet = jax.profiler.ProfileOptions()
    quiet.python_tracer_level = 0
    with jax.profiler.trace(dumps, profiler_options=quiet):
        jax.block_until_ready(compiled(*arguments))
    for path in Path(dumps).glob("**/*.xplane.pb"):
        path.rename(out / f"{program}.xplane.pb")
