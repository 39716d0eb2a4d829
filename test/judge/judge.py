#!/usr/bin/env python3
"""Compiles programs, runs them, and compares the numbers with the verdict on the dump.

  judge.py OUT --tool hlobuf-verify --programs directed:0:500 random:0:500
  judge.py OUT --tool hlobuf-verify --programs random:0:100 --without copy-insertion
  judge.py OUT --platform tpu --topology v5e:2x2x1 --without copy-insertion ...
  judge.py OUT --tool hlobuf-verify --again      the kept dumps of an earlier run

The Python has to have jax. On CPU a program is run, and its results and the arguments
that it must not touch are compared with what numpy says. On all platforms the schedule
is executed on the bytes of the dump. A row of the table is

  program  numbers  schedule  reported  checks  class  what

Exit status 1 if a row disagrees: wrong and not reported, or reported and not wrong.
Dumps of rows that disagree stay in OUT. docs/evidence/judge.md says more.
"""

import argparse
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
BESIDE = os.path.join(HERE, os.pardir)
sys.path[:0] = [HERE, os.path.join(BESIDE, "mutation"), BESIDE]

from ahead_of_time import find_devices  # pylint: disable=wrong-import-position
import explained  # pylint: disable=wrong-import-position
from harness import read, stem_of, write  # pylint: disable=wrong-import-position
from hlo import Module  # pylint: disable=wrong-import-position

SECONDS_TO_RUN = 6


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", help="an empty or new folder for dumps")
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument(
        "--programs", nargs="+", default=["directed:0:50"], metavar="KIND:FROM:TO"
    )
    parser.add_argument("--platform", choices=("cpu", "tpu", "cuda"), default="cpu")
    parser.add_argument("--topology", default="v5e:2x2x1")
    parser.add_argument("--target-config", help="of a GPU, as a text proto")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="PASS",
        help="leave this HLO pass out",
    )
    parser.add_argument(
        "--batch", type=int, default=100, help="programs for one run of the tool"
    )
    parser.add_argument("--seconds", type=float, default=0, help="stop after so many")
    parser.add_argument(
        "--keep", action="store_true", help="keep all dumps, for --again"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="compile nothing: only the tool is asked again",
    )
    parser.add_argument(
        "--schedules",
        action="store_true",
        help="execute the schedules of right and silent programs, too",
    )
    parser.add_argument("--weights", default="", help="of blocks: NAME=WEIGHT,...")
    parser.add_argument("--blocks", default="", help="of varied programs: NAME,...")
    parser.add_argument("--verbose", action="store_true", help="print every row")
    o = parser.parse_args()
    o.started = time.monotonic()
    o.spread = any(part.startswith(("varied", "sharded")) for part in o.programs)
    o.schedules |= bool(o.without) or o.platform != "cpu"
    return o


def prepare(o):
    """Settings that have to be there before jax is."""
    folder = os.path.join(os.path.abspath(o.out), "now")
    flags = [
        os.environ.get("XLA_FLAGS", ""),
        f"--xla_dump_to={folder}",
        "--xla_dump_hlo_as_text",
    ]
    if o.spread:
        # What jax compiles for itself to evaluate equations is nothing to verify.
        flags.append("--xla_dump_hlo_module_re=jit_(directed|random|varied|sharded)_[0-9]+$")
        flags.append("--xla_force_host_platform_device_count=4")
    if o.without:
        flags.append("--xla_disable_hlo_passes=" + ",".join(o.without))
    if o.platform == "cuda":
        flags.append("--xla_gpu_autotune_level=0")
    os.environ["XLA_FLAGS"] = " ".join(flags)
    warnings.simplefilter("ignore")
    os.makedirs(folder, exist_ok=True)
    return folder


class Compiler:
    def __init__(self, o):
        import jax  # pylint: disable=import-outside-toplevel

        self.jax, self.runs, self.settings = jax, o.platform == "cpu", {}
        self.journal, self.changed = Journal(o.out), False
        topology = o.topology
        if o.platform == "cuda":
            topology = "1x1x4" if o.spread else "1x1x1"
        self.devices = find_devices(o.platform, topology, o.target_config)
        if self.runs:
            return
        mesh = jax.sharding.Mesh(self.devices[:1], ("x",))
        one = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
        self.settings = {"in_shardings": one, "out_shardings": one}

    def judge(self, program):
        """What the numbers say: right, wrong, hangs, caller (an argument changed)."""
        import numbers_of  # pylint: disable=import-outside-toplevel
        import reference  # pylint: disable=import-outside-toplevel

        self.journal.begin(program.name)
        program.function.__name__ = program.name
        function, settings = program.function, dict(self.settings)
        if program.specs:
            from varied import over  # pylint: disable=import-outside-toplevel

            function, where = over(function, program.specs, self.devices)
            settings = {"in_shardings": where}
        jitted = self.jax.jit(function, donate_argnums=program.donated, **settings)
        traced = jitted.trace(*program.arguments)
        if not self.runs:
            traced.lower().compile()
            return "not run"
        try:
            expected = numbers_of.evaluate(program, traced.jaxpr)
        except reference.Unknown as reason:
            if program.close:
                traced.lower().compile()
            return f"unknown: {reason}"
        compiled = traced.lower().compile()
        where = settings.get("in_shardings", [None] * len(program.arguments))
        results = self.run(program, compiled, where)
        numbers = numbers_of.judge(program, traced.jaxpr, results, expected)
        return "caller" if numbers == "right" and self.changed else numbers

    def give_up(self, program):
        """Ends this process and a program that does not: its loop lost the counter."""
        # Where devices wait for each other, one that was refused makes all of them wait.
        self.journal.add(program.name, "unknown: hangs" if program.specs else "hangs")
        os.kill(os.getpid(), signal.SIGKILL)

    def run(self, program, compiled, where):
        """Its results. An argument that was not donated must not change."""
        import numpy as np  # pylint: disable=import-outside-toplevel

        same = (
            len(program.arguments) > 1 and program.arguments[0] is program.arguments[1]
        )
        put, arguments = self.jax.device_put, program.arguments
        given = [put(x.copy(), to) for x, to in zip(arguments, where)]
        if same:
            given[1] = given[0]
        if program.specs:
            self.journal.begin(f"{program.name} runs")
        watch = threading.Timer(SECONDS_TO_RUN, self.give_up, [program])
        watch.start()
        results = [np.array(x) for x in self.jax.tree.leaves(compiled(*given))]
        watch.cancel()
        self.changed = any(
            k not in program.donated and not np.array_equal(np.asarray(x), old)
            for k, (x, old) in enumerate(zip(given, arguments))
        )
        return results


class Journal:
    """What is known of the programs of a batch, if their process is lost."""

    def __init__(self, out):
        self.path, self.now = os.path.join(out, "journal"), os.path.join(out, "begun")

    def begin(self, name):
        write(self.now, name)

    def add(self, name, numbers):
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps([name, numbers]) + "\n")

    def read(self):
        """By name; empty where the last batch is complete."""
        if not os.path.exists(self.path):
            return {}
        return dict(map(json.loads, read(self.path).splitlines()))

    def lost(self):
        """The process ended: by the program that had begun, if it did not say why."""
        name, _, runs = read(self.now).partition(" ")
        if name not in self.read():
            self.add(name, "unknown: devices wait" if runs else "crashes")

    def clear(self):
        if os.path.exists(self.path):
            os.remove(self.path)


def supervise(o):
    """Judges in a process of its own, and in another one if that is lost."""
    folder = prepare(o)
    import programs  # noqa: F401  # pylint: disable=import-outside-toplevel,unused-import

    if o.spread:
        from blocks import SETTINGS  # pylint: disable=import-outside-toplevel

        given = dict(each.split("=") for each in o.weights.split(",") if each)
        SETTINGS["weights"] = {name: float(weight) for name, weight in given.items()}
        SETTINGS["blocks"] = list(filter(None, o.blocks.split(",")))
        SETTINGS["platform"] = o.platform
    import reference  # noqa: F401  # pylint: disable=import-outside-toplevel,unused-import

    while True:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 3
            try:
                status = work(o, folder)
            except Exception:  # pylint: disable=broad-exception-caught
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(status)  # pylint: disable=protected-access
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        Journal(o.out).lost()


def programs(o, done):
    from programs import program  # pylint: disable=import-outside-toplevel

    for part in o.programs:
        kind, begin, end = part.split(":")
        for number in range(int(begin), int(end)):
            if f"{kind}_{number}" not in done:
                yield program(f"{kind}_{number}")


def verdicts(tool, folder):
    """By program: what the tool says of its dump."""
    done = subprocess.run(
        [tool, "--format=json", "--no-config", "--error-limit=3", "--jobs=1", folder],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(f"{tool} ended with {done.returncode}: {done.stderr[-500:]}")
    found = {}
    for line in done.stdout.splitlines():
        verdict = json.loads(line)
        if "module" in verdict:
            found[str(verdict["module"]).removeprefix("jit_")] = verdict
    return found


def schedule_of(assignment):
    """The hazards of a dump, and what could not be followed."""
    from schedule import Execution, dump_of  # pylint: disable=import-outside-toplevel

    module = Module(read(stem_of(assignment) + ".txt"))
    execution = Execution(dump_of(assignment), module)
    return sorted(execution.run()), sorted(execution.unsure)


Row = collections.namedtuple(
    "Row", "name numbers hazards unsure findings why what verdict"
)


Row = collections.namedtuple(
    "Row", "name numbers hazards unsure checks why agrees what"
)


def row_of(name, what, numbers, verdict, schedule=None):
    """Joins the three judges on one program; the schedule is not executed if False."""
    hazards, unsure = schedule or ([], [])
    checks = []
    if verdict:
        shown = [
            f for f in verdict["findings"] if f["severity"] in ("error", "warning")
        ]
        checks = sorted({f["check"] for f in shown})
    wanted = schedule is None or checks or numbers in explained.WRONG
    if verdict and not schedule and wanted:
        try:
            hazards, unsure = schedule_of(verdict["dump"])
        except (ValueError, KeyError, IndexError) as error:
            unsure = [f"not executed: {type(error).__name__} {error}"]
    why, agrees = explained.judge(numbers, hazards, unsure, checks, verdict)
    return Row(name, numbers, hazards, unsure, checks, why, agrees, what)


class Table:
    """Prints rows, counts them, and remembers them for --again."""

    def __init__(self, o):
        self.options, self.counts, self.rows = o, collections.Counter(), []
        self.disagree = 0
        self.path = os.path.join(o.out, "rows.json")

    def earlier(self):
        with open(self.path, encoding="utf-8") as f:
            return [Row(**json.loads(line)) for line in f]

    def go_on(self):
        """The names of the programs that an earlier run in this folder judged."""
        for row in self.earlier() if os.path.exists(self.path) else ():
            self.add(row, silent=True)
        return {row.name for row in self.rows}

    def add(self, row, silent=False):
        self.rows.append(row)
        self.disagree += not row.agrees
        hazard = "hazard" if row.hazards else "unsure" if row.unsure else "-"
        key = row.numbers.split(":")[0], hazard, "y" if row.checks else "n", row.why
        self.counts[key] += 1
        if silent:
            return
        if not row.agrees or row.checks or row.why or self.options.verbose:
            kinds = ",".join(sorted({kind for kind, _ in row.hazards})) or hazard
            mark, checks = " " if row.agrees else "!", ",".join(row.checks) or "-"
            cells = (
                f"{mark} {row.name:15} {row.numbers:8} {kinds:18} {key[2]} {checks:36}"
            )
            print(f"{cells} {row.why:28} {row.what}", flush=True)

    def save(self):
        """So that a run that is ended early can be asked again."""
        with open(self.path, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row._asdict()) + "\n" for row in self.rows)

    def end(self):
        print("\n  count numbers   schedule reported class")
        for (numbers, hazard, reported, why), count in sorted(self.counts.items()):
            print(f"{count:7} {numbers:9} {hazard:8} {reported:8} {why}")
        seconds = time.monotonic() - self.options.started
        print(f"{len(self.rows)} programs in {seconds:.0f} s, {self.disagree} disagree")
        return 1 if self.disagree else 0


def keep(folder, to, names):
    """Moves what the tool reads of these programs, and what hlobuf-reduce does."""
    os.makedirs(to, exist_ok=True)
    for path in glob.glob(os.path.join(folder, "*optimizations*.txt")):
        program = re.search(r"\.jit_(\w+)\.", os.path.basename(path))
        other = re.search(r"[._]before_(?!optimizations\.txt)", path)
        if program and program[1] in names and not other:
            shutil.move(path, to)


def finish(o, folder, table, batch):
    found = verdicts(o.tool, folder) if batch else {}
    kept = set()
    for program, numbers in batch:
        verdict = found.get(program.name)
        schedule = None if o.schedules else False
        table.add(row_of(program.name, program.what, numbers, verdict, schedule))
        if o.keep or not table.rows[-1].agrees:
            kept.add(program.name)
    if kept:
        keep(folder, os.path.join(o.out, f"kept-{len(table.rows)}"), kept)
    table.save()
    shutil.rmtree(folder)
    os.makedirs(folder)


def again(o):
    table, found = Table(o), verdicts(o.tool, o.out)
    for old in table.earlier():
        verdict = found.get(old.name)
        if verdict or not o.keep:
            schedule = (old.hazards, old.unsure) if old.hazards else False
            table.add(row_of(old.name, old.what, old.numbers, verdict, schedule))
    return table.end()


def work(o, folder):
    compiler, table, batch = Compiler(o), Table(o), []
    from programs import program as named  # pylint: disable=import-outside-toplevel

    done = table.go_on()
    for name, numbers in compiler.journal.read().items():
        batch.append((named(name), numbers))
        done.add(name)
    for program in programs(o, done):
        if o.seconds and time.monotonic() - o.started > o.seconds:
            break
        try:
            numbers = compiler.judge(program)
        except Exception as error:  # pylint: disable=broad-exception-caught
            numbers = f"failed: {type(error).__name__} {str(error)[:80]}"
        batch.append((program, numbers))
        compiler.journal.add(program.name, numbers)
        if len(batch) >= o.batch:
            finish(o, folder, table, batch)
            batch.clear()
            compiler.journal.clear()
            compiler.jax.clear_caches()
    finish(o, folder, table, batch)
    compiler.journal.clear()
    return table.end()


def main():
    o = options()
    return again(o) if o.again else supervise(o)


if __name__ == "__main__":
    sys.exit(main())
