"""two_writers.py SCRATCH DUMP OTHER: what two writers of one folder leave behind.

Each file of DUMP gets, after its end, the end of a text that was longer: of its
own text, of the file of OTHER, or its own text once more. The tool must end with
status 2 and name the cause; where another program's text follows, a finding will
do too, and a pass never.
"""

import os
import shutil
import subprocess
import sys

scratch, dump, other = sys.argv[1:]
TAILS = (
    "-buffer-assignment.txt",
    "-buffer-assignment-values.txt",
    "-live-range.txt",
    "-memory-usage-report.txt",
    "after_optimizations.txt",
)


def file_of(folder, tail):
    return next(
        os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(tail)
    )


def read(path):
    with open(path, "rb") as text:
        return text.read()


def verify(tail, more):
    folder = os.path.join(scratch, "dump")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(dump, folder)
    with open(file_of(folder, tail), "ab") as out:
        out.write(more)
    return subprocess.run(["hlobuf-verify", folder], capture_output=True, text=True)


def named(run):
    text = run.stdout + run.stderr
    return run.returncode == 2 and ("processes" in text or "two modules" in text)


for size in (5, 60):
    runs = [verify(tail, read(file_of(dump, tail))[-size:]) for tail in TAILS]
    missed = [tail for tail, run in zip(TAILS, runs) if not named(run)]
    print(f"same text, tail of {size}: {len(runs)} spliced, {len(missed)} not named", *missed)
for what, texts, sizes in (
    ("other program", other, (33, 150, 311)),
    ("twice", dump, (0,)),
):
    runs = [verify(tail, read(file_of(texts, tail))[-size:]) for size in sizes for tail in TAILS]
    passed = sum(run.returncode == 0 for run in runs)
    print(f"{what}: {len(runs)} spliced, {passed} passed")
