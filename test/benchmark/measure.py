#!/usr/bin/env python3
"""measure.py [--runs=N] [--program=P]... FOLDER...: a whole run against grep -c.

Verifies each folder, which holds one dump, in turn with `grep -c` over the same
bytes, and prints medians: wall seconds, their ratio to grep's, processor
seconds, and peak resident memory as a share of the input. Quiet machines only.
"""

import os
import statistics
import subprocess
import sys
import time


def once(command):
    """(wall seconds, processor seconds, peak in bytes) of one run."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    wall = time.monotonic() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(program, folder, runs):
    files = sorted(entry.path for entry in os.scandir(folder) if entry.is_file())
    size = sum(map(os.path.getsize, files))
    ours, greps = [], []
    for _ in range(runs + 1):
        greps.append(once(["grep", "-c", "value", *files]))
        ours.append(once([program, "--no-config", folder]))
    # The first pair fills the system's cache.
    ours, greps = ours[1:], greps[1:]
    wall, cpu, peak = (statistics.median(run[i] for run in ours) for i in range(3))
    ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, greps))
    print(
        f"{program} {folder}: {size / 1e6:.1f} MB, {wall:.3f} s wall, "
        f"{ratio:.1f} x grep -c, {cpu:.3f} s processor, "
        f"{peak / 1e6:.1f} MB peak, {peak / size:.2f} x input",
        flush=True,
    )


def main():
    programs, folders, runs = [], [], 5
    for argument in sys.argv[1:]:
        key, _, value = argument.partition("=")
        if key == "--runs":
            runs = int(value)
        elif key == "--program":
            programs.append(value)
        else:
            folders.append(argument)
    if not folders:
        sys.exit(__doc__)
    for folder in folders:
        for program in programs or ["hlobuf-verify"]:
            measure(program, folder, runs)


if __name__ == "__main__":
    main()
