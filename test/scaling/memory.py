"""memory.py FOLDER STITCH: private memory as a dump grows.

STITCH, test/benchmark/stitch.py, makes two dumps of the one in Inputs, 16 and 64 MB without their
module. What the larger one takes more, for each byte that it has more, must stay below
a limit. Pages of files are not counted: they are the kernel's.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

VERIFY = ["hlobuf-verify", "--no-config", "--jobs=1", "--quiet"]
# What is run in the folder, the limit, and which files are removed before, for good.
# Measured in November 2026: 0.88, 0.94, 2.09 and 1.17. Lines are shorter than in most dumps.
CASES = {
    "with its module": (VERIFY + ["."], 0.95, None),
    "summary": (VERIFY + ["--summary", "."], 1.05, None),
    "compared with itself": (["hlobuf-diff", "--jobs=1", ".", "."], 2.4, None),
    "alone": (VERIFY + ["."], 1.25, "*_after_optimizations.txt"),
}


def private(command, folder):
    """Bytes of anonymous memory, at most, of one run on one thread, asked for all the time; it
    must find nothing."""
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    most = 0
    while run.poll() is None:
        status = pathlib.Path(f"/proc/{run.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"RssAnon:\s+(\d+) kB", status)
        most = max(most, int(found[1]) if found else 0)
    if run.returncode != 0:
        raise SystemExit(f"FAIL: status {run.returncode} of {command}")
    return most * 1024


def main():
    folder, stitch = pathlib.Path(sys.argv[1]), sys.argv[2]
    source = next((pathlib.Path(__file__).parent / "Inputs").glob("*-buffer-assignment.txt"))
    sizes = {name: [] for name in CASES}
    for size in ("16M", "64M"):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, stitch, source, size, folder], check=True)
        for name, (command, _, removed) in CASES.items():
            for file in folder.glob(removed) if removed else ():
                file.unlink()
            read = sum(file.stat().st_size for file in folder.iterdir())
            # On a busy machine a short peak is not seen, and then the growth is too large.
            tries = 4 if size == "16M" else 1
            sizes[name].append((read, max(private(command, folder) for _ in range(tries))))
    shutil.rmtree(folder, ignore_errors=True)
    for name, ((small, less), (large, more)) in sizes.items():
        grows = (more - less) / (large - small)
        good = grows <= CASES[name][1]
        print(f"{'ok  ' if good else 'FAIL'} {name}: {grows:.2f} bytes for each byte")


main()
