"""Runs edited CPU executables: what computes wrong numbers must be reported.

run_edited.py --tool hlobuf-verify --per-kind 20 FILE... plants faults as plant.py does,
runs each edited file next to its original with the same random inputs, and compares: wrong
numbers, a crash or a hang without an error of the tool is a miss. An error about a
program with the right numbers is listed with its check, for review. Needs a Python with
the jaxlib that made the files.
"""

import collections
import json
import os
import random
import selectors
import subprocess
import sys
import tempfile

import plant
from faults import FAULTS

HERE = os.path.dirname(os.path.abspath(__file__))
BAD = ("wrong", "crash", "hang")
OUTCOMES = ("wrong", "crash", "hang", "refused", "fails", "right", "not run")


class Child:
    """A process that runs jobs from one on, one after the other."""

    def __init__(self, jobs, first):
        command = [sys.executable, os.path.join(HERE, "runner.py"), jobs, str(first)]
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.process.stdout, selectors.EVENT_READ)

    def next(self, timeout):
        """The next outcome, or that there is none."""
        if not self.waiting.select(timeout):
            return {"outcome": "hang", "why": f"no end after {timeout} s"}
        line = self.process.stdout.readline()
        if line.startswith("{") and line.endswith("\n"):
            return json.loads(line)
        return {"outcome": "crash", "why": f"status {self.process.wait()}"}

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.waiting.close()


def run_jobs(jobs, folder, timeout):
    """The outcome of each job."""
    path = os.path.join(folder, "jobs.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(jobs, f)
    outcomes = []
    child = None
    while len(outcomes) < len(jobs):
        start = 60 if child is None else 0
        child = child or Child(path, len(outcomes))
        outcomes.append(child.next(timeout + start))
        if outcomes[-1]["outcome"] in ("crash", "hang"):
            child.stop()
            child = None
    if child:
        child.stop()
    return outcomes


def that_run(sources, folder, timeout):
    """The files that run as they are and give the same numbers each time."""
    jobs = [{"source": path, "edited": path, "seed": 0} for path in sources]
    outcomes = run_jobs(jobs, folder, timeout)
    for path, done in zip(sources, outcomes):
        if done["outcome"] != "right":
            print(f"{path}: left out: {done['outcome']}: {done['why']}", file=sys.stderr)
    return [path for path, done in zip(sources, outcomes) if done["outcome"] == "right"]


def run_planted(planted, folder, timeout):
    """Runs all; what disagrees with the tool runs again in a process of its own."""
    order = sorted(range(len(planted)), key=lambda index: planted[index].source)
    jobs = [
        {"source": planted[i].source, "edited": planted[i].path, "seed": i}
        for i in order
    ]
    for index, done in zip(order, run_jobs(jobs, folder, timeout)):
        planted[index].ran = done
    for index, job in zip(order, jobs):
        row = planted[index]
        if row.ran["outcome"] in BAD and not row.new:
            row.ran = run_jobs([job], folder, timeout)[0]


def print_rows(planted, everything):
    for row in planted:
        reported = "reported" if row.new else "silent"
        what = row.ran["outcome"]
        bad = what in BAD and not row.new
        review = what == "right" and row.new and not row.edit.harmless
        if not (bad or review or everything):
            continue
        mark = "! " if bad else ""
        print(f"{mark}{what} {reported} {row.kind} {row.source}: {row.edit.text}")
        if row.edit.unseen:
            print(f"    {row.edit.unseen}")
        for check, message in sorted(row.new):
            print(f"    [{check}] {message}")


def print_table(planted):
    columns = [(what, short) for what in OUTCOMES for short in ("reported", "silent")]
    used = collections.Counter(
        (row.ran["outcome"], "reported" if row.new else "silent") for row in planted
    )
    columns = [column for column in columns if used[column]]
    print(f"{'fault':24}" + "".join(f" {a + ' ' + b:>17}" for a, b in columns))
    for kind in [*dict.fromkeys(row.kind for row in planted), "all"]:
        rows = [row for row in planted if kind in (row.kind, "all")]
        counts = collections.Counter(
            (row.ran["outcome"], "reported" if row.new else "silent") for row in rows
        )
        print(f"{kind:24}" + "".join(f" {counts[column]:17}" for column in columns))


def parse_options():
    parser = plant.option_parser(__doc__)
    parser.add_argument("--timeout", type=float, default=20, help="seconds for one run")
    parser.add_argument("--all", action="store_true", help="print every run")
    return parser.parse_args()


def main():
    o = parse_options()
    kinds = o.kinds.split(",") if o.kinds else list(FAULTS)
    with tempfile.TemporaryDirectory() as folder:
        sources = plant.with_thunks(o.files, o.max_files, o.seed)
        sources = that_run(sources, folder, o.timeout)
        rng = random.Random(o.seed)
        planted = plant.plant_all(kinds, sources, o.per_kind, rng, folder)
        plant.judge(o.tool, planted)
        run_planted(planted, folder, o.timeout)
        missed = [row for row in planted if row.ran["outcome"] in BAD and not row.new]
        print_rows(planted, o.all)
        plant.keep(missed, o.keep)
    print_table(planted)
    unseen = sum(bool(row.edit.unseen) for row in missed)
    print(f"{len(missed)} wrong and not reported, {unseen} of them in whole calls")
    return len(missed) > unseen


if __name__ == "__main__":
    sys.exit(main())
