#!/usr/bin/env python3
"""Make fresh buffer-assignment dumps with a real, pinned XLA.

Compiles the programs of dump_programs.py, and as many random ones as asked for,
and leaves XLA's dumps of them in OUT: buffer assignments with their live ranges,
memory reports and scheduled modules. Programs are compiled, never run, so no
accelerator is needed: for a TPU, libtpu compiles ahead of time.

The compilers come from PyPI, into a virtual environment that this script makes
when it is not there yet. Which releases: the first row of PINS that the Python at
hand can use, or the one that --jax names.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# jax and jaxlib, the libtpu of the same time, the oldest and the newest Python.
# Up to 0.9 XLA wrote all about a module into one file, since then one a section.
PINS = [
    ("0.12.0", "0.0.52", (3, 12), (3, 14)),
    ("0.10.2", "0.0.42.1", (3, 11), (3, 14)),
    ("0.7.2", "0.0.23", (3, 11), (3, 14)),
    ("0.6.2", "0.0.17", (3, 10), (3, 13)),
]

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from hlobuf._compile_worker import ENVIRONMENT  # noqa: E402

CACHE = HERE.parent / "build" / "venv-dumps"
PROGRAMS = HERE / "dump_programs.py"

# Of what XLA writes, the files that are of use to somebody who looks at buffers.
KEPT = re.compile(
    r"(after_optimizations|-buffer-assignment(-values)?|-live-range|-memory-usage-report)\.txt$"
)


def report(message):
    print("make-dumps: " + message, file=sys.stderr)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="exit status: 0 if at least one dump was written, 1 if none was, 2 on bad usage",
    )
    add = parser.add_argument
    add("out", nargs="?", type=Path, metavar="OUT", help="the folder for the dumps")
    add("--platform", choices=("cpu", "tpu"), default="cpu", help="(default: cpu)")
    add("--topology", default="v5e:2x2x1", help="which TPU: v4, v5e, v5p, v6e (default: v5e:2x2x1)")
    add("--count", type=int, default=0, metavar="N", help="how many random programs (default: 0)")
    add("--seed", type=int, default=0, metavar="S", help="the first one's seed (default: 0)")
    add("--only", default="", metavar="REGEX", help="only programs whose name matches, e.g. loop")
    add("--list", action="store_true", help="list the named programs and pinned releases, and stop")
    add("--jax", choices=[pin[0] for pin in PINS], help="a pinned release other than the newest")
    add("--venv", type=Path, default=CACHE, help="virtual environments (default: build/venv-dumps)")
    add("--keep-all", action="store_true", help="keep every file that XLA writes, some are big")
    add("--progress", type=Path, help=argparse.SUPPRESS)  # given to the compiling process
    options = parser.parse_args()
    if options.out is None and not options.list:
        parser.error("where to? (OUT is missing)")
    if not re.fullmatch(r"\w+:\d+(x\d+){1,2}", options.topology):
        parser.error("--topology: not of the form v5e:2x2x1")
    return options


def list_programs():
    """The programs' names, read from their source, since jax may not be there."""
    for node in ast.parse(PROGRAMS.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            print("%-24s %s" % (node.name, ast.get_docstring(node)))
    print("%-24s %s" % ("random_SEED", "--count many, from --seed on"))
    for jax, libtpu, oldest, newest in PINS:
        print("jax %-7s libtpu %-9s for Python %d.%d to %d.%d" % (jax, libtpu, *oldest, *newest))


def choose_pin(version):
    python = sys.version_info[:2]
    for pin in PINS:
        if version in (None, pin[0]) and pin[2] <= python <= pin[3]:
            return pin
    sys.exit("make-dumps: no %s for Python %d.%d" % (version or "pinned release", *python))


def environment_python(options):
    """The Python of a virtual environment that has the pinned compilers."""
    jax, libtpu = choose_pin(options.jax)[:2]
    wanted = ["jax==" + jax, "jaxlib==" + jax]
    if options.platform == "tpu":
        wanted.append("libtpu==" + libtpu)
    folder = options.venv / ("jax-%s-python%d.%d" % (jax, *sys.version_info[:2]))
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    have = installed.read_text().split() if installed.exists() else []
    if not set(wanted) <= set(have):
        report("installing %s into %s" % (" ".join(wanted), folder))
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in ([sys.executable, "-m", "venv", folder], pip + wanted):
            if subprocess.run(command).returncode:
                sys.exit("make-dumps: cannot install the compilers (is python3-venv there?)")
        installed.write_text("\n".join(sorted(set(wanted) | set(have))))
    return python


def devices(options):
    import jax

    if options.platform == "cpu":
        return jax.devices()
    from jax.experimental import topologies

    chips = [int(side) for side in options.topology.split(":")[1].split("x")]
    bounds = tuple((chips + [1, 1])[:3])
    name = options.topology.split(":")[0] + ":" + "x".join(map(str, bounds))
    options = dict(topology_name=name, chips_per_host_bounds=bounds)
    return topologies.get_topology_desc(platform="tpu", **options).devices


def jobs(options):
    """(name, program) in the order in which they are compiled."""
    import dump_programs

    everything = list(dump_programs.NAMED.items())
    for seed in range(options.seed, options.seed + options.count):
        everything.append(("random_%d" % seed, dump_programs.random_program(seed)))
    chosen = [(name, p) for name, p in everything if re.search(options.only, name)]
    return [(name, p) for name, p in chosen if options.platform in p.platforms]


def compile_one(program, all_devices):
    import dump_programs
    import jax
    import numpy

    count = dump_programs.DEVICES if program.mesh else 1
    if len(all_devices) < count:
        raise ValueError("needs %d devices" % count)
    mesh = jax.sharding.Mesh(numpy.array(all_devices[:count]), (dump_programs.AXIS,))
    spec = jax.sharding.PartitionSpec(*[dump_programs.AXIS][: program.mesh])
    placed = jax.sharding.NamedSharding(mesh, spec)
    options = dict(donate_argnums=program.donate)
    # Shardings keep some operations from being fused, so that a program gets them only
    # if it has to: nothing else identifies a TPU.
    if program.mesh or all_devices[0].platform != "cpu":
        options.update(in_shardings=placed, out_shardings=placed)
    jax.jit(program.bound_to(mesh), **options).lower(*program.arguments).compile()


def compile_all(options):
    """In the virtual environment: compile, beginning where the progress file says."""
    import warnings

    import jax

    warnings.simplefilter("ignore")  # donations that cannot be used: meant so
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    todo = jobs(options)
    all_devices = devices(options)
    start = int(options.progress.read_text().split()[0])
    for number, (name, program) in list(enumerate(todo))[start:]:
        options.progress.write_text("%d %s" % (number, name))
        try:
            compile_one(program, all_devices)
        except Exception as error:
            reason = str(error).partition("\n")[0]
            report("%s: %s: %.160s" % (name, type(error).__name__, reason))


def run_compilers(options, folder):
    """compile_all in a process of its own; a crash of XLA costs one program."""
    python = environment_python(options)
    flags = "--xla_dump_to=%s --xla_dump_hlo_as_text" % folder
    flags += " --xla_force_host_platform_device_count=4"
    environment = dict(os.environ, XLA_FLAGS=flags, JAX_PLATFORMS="cpu", **ENVIRONMENT)
    progress = folder / "progress"
    command = [python, "-B", Path(__file__), "--progress", progress] + sys.argv[1:]
    progress.write_text("0 start")
    while subprocess.run(command, env=environment).returncode:
        number, name = progress.read_text().split()
        if name == "start":
            sys.exit("make-dumps: the compiler does not start")
        report("%s: the compiler died" % name)
        progress.write_text("%d start" % (int(number) + 1))
    progress.unlink()


def main():
    options = arguments()
    if options.list:
        list_programs()
        return 0
    if options.progress:
        compile_all(options)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    dumps = 0
    with tempfile.TemporaryDirectory(prefix="make-dumps-") as folder:
        run_compilers(options, Path(folder))
        for path in sorted(Path(folder).iterdir()):
            if path.is_file() and (options.keep_all or KEPT.search(path.name)):
                shutil.move(str(path), str(options.out / path.name))
                dumps += path.name.endswith("-buffer-assignment.txt")
    print("make-dumps: %d dumps in %s" % (dumps, options.out))
    return 0 if dumps else 1


if __name__ == "__main__":
    sys.exit(main())
