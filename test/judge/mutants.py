#!/usr/bin/env python3
"""Mutates unoptimized modules, compiles them, and compares the judges' verdicts.

  mutants.py OUT --tool hlobuf-verify --target cpu --modules FOLDER --programs mutant:0:50

FOLDER has *.before_optimizations.txt as XLA dumps them. The Python has to have jax. On
CPU a mutant runs, and its numbers are compared with its operations run one by one. The
rows are those of judge.py.
"""

import argparse
import os
import select
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "mutation")]

import judge  # pylint: disable=wrong-import-position
from mutations import Mutant  # pylint: disable=wrong-import-position

PACKAGE = HERE.parents[1] / "python" / "hlobuf"
WORKER = [PACKAGE / f"_{part}.py" for part in ("stepwise", "compile_worker")]
# A shard_map: the partitioner ends the process if more than one call uses its body.
MANUAL = "xla.sdy.GlobalToLocalShape"
SECONDS = 60  # for one mutant


class Worker:
    """A Python process that compiles; another one if that is lost."""

    def __init__(self, target, folder):
        self.command = [sys.executable, "-c", "".join(part.read_text() for part in WORKER), target, folder]
        self.process = None

    def ask(self, *words):
        """The answer; None if there was none, because the process ended or hangs."""
        try:
            if self.process is None:
                pipe = subprocess.PIPE
                command = [*self.command, "--xla_dump_max_hlo_modules=-1"]
                self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
                self.process.stdout.readline()
            print("\t".join(words), file=self.process.stdin, flush=True)
            ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
            answer = self.process.stdout.readline().strip() if ready else "hangs"
        except BrokenPipeError:
            answer = ""
        if answer in ("", "hangs"):
            self.end()
        return answer or "crashes"

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--modules", type=Path, required=True)
    parser.add_argument("--programs", default="mutant:0:50", metavar="mutant:FROM:TO")
    parser.add_argument("--keep", action="store_true", help="dumps are always kept")
    parser.add_argument("--batch", help=argparse.SUPPRESS)
    return parser.parse_args()


def runs(text):
    """Whether the numbers of a module can be judged: one device, no randomness, and no
    argument that the caller has to donate."""
    head = text.partition("\n")[0]
    refused = ("num_partitions=", "replica_count=", "must-alias", "buffer_donor=")
    return not any(each in head for each in refused) and " rng" not in text


def numbers_of(worker, target, mutant, file):
    """As judge.py has them."""
    text = mutant.text()
    answer = worker.ask("run", str(file)) if target == "cpu" and runs(text) else "crashes"
    if answer == "crashes":  # a compiler ends a process whose program it does not like
        answer = worker.ask("compile", str(file))
        return "not run" if answer == "ok" else answer.replace("failed", "failed:", 1)
    if answer.startswith("ok"):
        return "right"
    # Floats may differ by more than is allowed for: too loud without a reason.
    if answer.startswith("wrong"):
        return "unknown: rounding" if has_floats(text) else "wrong"
    if answer == "hangs":
        return "unknown: hangs"
    return answer.replace("failed", "failed:", 1)


def has_floats(text):
    kinds = (" f16[", " f32[", " f64[", " bf16[", " c64[", " f8")
    return any(kind in text for kind in kinds)


def mutants(o):
    files = sorted(o.modules.rglob("*before_optimizations.txt"))
    if not files:
        sys.exit(f"there are no modules in {o.modules}")
    _, begin, end = o.programs.split(":")
    for number in range(int(begin), int(end)):
        file, name = files[number % len(files)], f"mutant_{number}"
        text = file.read_text()
        if MANUAL in text:
            continue
        try:
            mutant = Mutant(text, f"jit_{name}", name)
            mutant.mutate()
        except (ValueError, StopIteration, KeyError, IndexError):
            continue
        if mutant.done:
            yield name, mutant, f"{file.name}: {', '.join(mutant.done)}"


def main():
    o = options()
    now = o.out / "kept-1"
    now.mkdir(parents=True, exist_ok=True)
    worker, judged = Worker(o.target, str(now)), []
    for name, mutant, what in mutants(o):
        file = o.out / f"{name}.txt"
        file.write_text(mutant.text())
        judged.append((name, what, numbers_of(worker, o.target, mutant, file)))
    worker.end()
    found = judge.verdicts(o.tool, str(now)) if judged else {}
    # The table saves rows itself.
    table_options = argparse.Namespace(out=str(o.out), verbose=False)
    table_options.started = judge.time.monotonic()
    table = judge.Table(table_options)
    for name, what, numbers in judged:
        table.add(judge.row_of(name, what, numbers, found.get(name)))
    table.save()
    return table.end()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
