"""scaling.py FOLDER PART/PARTS [CASE...]: what input costs as it grows.

Each case of cases.py, protocases.py, summarycases.py and thunkcases.py is run with n and
with 4n, and its processor time must not grow by more than Limit: linear and n log n stay below,
n squared is 16. The least of several runs is taken, so that a busy machine
changes little, and a case that fails is measured again before it counts.
"""

import os
import resource
import shutil
import subprocess
import sys

from cases import CASES as TEXT_CASES
from protocases import PROTO_CASES
from summarycases import SUMMARY_CASES
from thunkcases import THUNK_CASES

VERIFY = ["hlobuf-verify", "--no-config", "--jobs=1", "--checks=*", "--summary"]
VIEW = ["hlobuf-view", "--format=json"]
DIFF = ["hlobuf-diff", "--jobs=1"]

ALL = TEXT_CASES | PROTO_CASES | SUMMARY_CASES | THUNK_CASES
CASES = {name: (make, n, VERIFY) for name, (make, n) in ALL.items()}
for name in ("equal-names", "values-at-one-step", "staggered-ranges"):
    make, n = TEXT_CASES[name]
    CASES[name + "-drawn"] = (make, n, VIEW)
    CASES[name + "-compared"] = (make, n, DIFF)



def nested_calls(folder, n):
    """n computations, each of which calls the one before."""
    os.makedirs(folder)
    path = os.path.join(folder, "m.before_optimizations.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.write("HloModule m\n\n")
        for i in range(n):
            call = f"call(p{i}), to_apply=c{i - 1}" if i else "negate(p0)"
            out.write(f"c{i} {{\n  p{i} = f32[8] parameter(0)\n  ROOT r{i} = f32[8] {call}\n}}\n\n")
        out.write("ENTRY e {\n  p = f32[8] parameter(0)\n")
        out.write(f"  ROOT r = f32[8] call(p), to_apply=c{n - 1}\n}}\n")
    return path


REDUCE = ["hlobuf-reduce", "--test=true", "-o", "/dev/null"]
CASES["nested-calls-reduced"] = (nested_calls, 500, REDUCE)

Limit = 5.5
# Below this, starting the program is most of what is measured.
Floor = 0.03
Timeout = 60


def seconds(command):
    """User time of one run; it must end by itself, and not by a signal."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=Timeout,
        check=False,
    )
    if run.returncode not in (0, 1, 2):
        raise RuntimeError(f"exit status {run.returncode}")
    if not run.stdout.strip():
        raise RuntimeError("nothing was said")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(small, large, repeats):
    first = min(seconds(small) for _ in range(repeats))
    second = min(seconds(large) for _ in range(repeats))
    return first, second


def run(command, dump):
    return [*command, dump, dump] if command is DIFF else [*command, dump]


def check(name, folder):
    make, n, command = CASES[name]
    inputs = [os.path.join(folder, f"{name}-{size}") for size in (n, 4 * n)]
    small, large = (run(command, make(path, n * 4**i)) for i, path in enumerate(inputs))
    try:
        for repeats in (2, 4, 8):
            first, second = measure(small, large, repeats)
            grows = second / max(first, Floor)
            if grows <= Limit:
                break
        good = grows <= Limit
        text = f"{first:.2f} s, {second:.2f} s: x {grows:.1f}"
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        good, text = False, str(error)
    print(f"{'ok  ' if good else 'FAIL'} {name}, {n} and {4 * n}: {text}", flush=True)
    for path in inputs:
        shutil.rmtree(path, ignore_errors=True)
    return good


def main():
    folder = sys.argv[1]
    part, parts = map(int, sys.argv[2].split("/"))
    names = sys.argv[3:] or sorted(CASES)[part::parts]
    good = [check(name, folder) for name in names]
    print(f"{len(good)} cases, {good.count(False)} grow too fast")
    return good.count(False) != 0


sys.exit(main())
