"""memory.py FOLDER STITCH: resident memory of hlobuf-verify as a dump grows.

STITCH, test/benchmark/stitch.py, makes two dumps of the one in Inputs, 16 and 64 MB without their
module. What the larger one takes more, for each byte that it has more, must stay below
a limit, with its module and alone: what is only read counts, too, until it is released.
"""

import os
import pathlib
import shutil
import subprocess
import sys

# Measured: 1.00 and 1.32 in November 2026. Lines are shorter than in most dumps.
Limits = {"with its module": 1.15, "alone": 1.5}


def resident(folder):
    """Bytes, at most, of one run on one thread; it must find nothing."""
    command = ["hlobuf-verify", "--no-config", "--jobs=1", "--quiet", str(folder)]
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"FAIL: status {status} of {folder}")
    return usage.ru_maxrss * 1024


def main():
    folder, stitch = pathlib.Path(sys.argv[1]), sys.argv[2]
    source = next((pathlib.Path(__file__).parent / "Inputs").glob("*-buffer-assignment.txt"))
    sizes = {name: [] for name in Limits}
    for size in ("16M", "64M"):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, stitch, source, size, folder], check=True)
        for name, removed in (("with its module", None), ("alone", "*_after_optimizations.txt")):
            for file in folder.glob(removed) if removed else ():
                file.unlink()
            read = sum(file.stat().st_size for file in folder.iterdir())
            sizes[name].append((read, resident(folder)))
    shutil.rmtree(folder, ignore_errors=True)
    for name, ((small, less), (large, more)) in sizes.items():
        grows = (more - less) / (large - small)
        good = grows <= Limits[name]
        print(f"{'ok  ' if good else 'FAIL'} {name}: {grows:.2f} bytes for each byte")


main()
