#!/usr/bin/env python3
"""measure_regressions.py HLOBUF_DIFF RELEASE=FOLDER...: for how many regressions between
releases hlobuf-diff names what takes the memory, and what it no longer shares memory
with, or who reads it.

The folders are of make_regressions.py, by the releases 0.7.1, 0.7.2 and 0.12.0.1. What is
expected was read from the dumps: live ranges, places and modules of both releases.
"""

import pathlib
import re
import subprocess
import sys

# Program, the release with less memory, the one with more, and the first reason.
EXPECTED = [
    ("donated_through_loop", "0.7.1", "0.7.2", r"exp\S* \(exp.* shared the memory of \S+ \(add"),
    ("donated_through_loop", "0.12.0.1", "0.7.2", r"exp\S* \(exp.* shared the memory of \S+ \(add"),
    ("scatters", "0.7.1", "0.7.2", r"\(select_n.* shared the memory of copy\S* \(copy of argument"
     r" table.*both are live from step 6 to 11"),
    ("chained_dots", "0.7.2", "0.7.1", r"\(tanh.* shared the memory of \S+ \(dot_general.*"
     r" dot_general\S+ \(dot_general .* is in these bytes"),
    ("dots_in_branches", "0.7.2", "0.12.0.1", r"\(dot_general.* shared the memory of .* both are live"),
    ("transposed_in_branch", "0.7.2", "0.12.0.1", r"\(transpose.* was not there: .*, for \S+ \(copy"
     r" of transpose"),
    ("scanned_dots", "0.7.2", "0.12.0.1", r"\(dynamic_slice.* was computed inside of \S+"
     r" \(dot_general"),
    ("half_precision_layers", "0.12.0.1", "0.7.2", r"was not there: convert of \S+ \(argument"
     r" params.*, for dot\S+ \(dot_general"),
    ("decoding", "0.12.0.1", "0.7.2", r"was not there: convert of cache.*, for while"),
    ("integer_dot", "0.12.0.1", "0.7.2", r"was not there: convert of a.1 .*; dot_general"),
    ("half_precision_einsum", "0.12.0.1", "0.7.2", r"\(dot_general.* was bf16\[257,257\] before;"
     r" convert"),
    ("mapped_norms", "0.12.0.1", "0.7.2", r"\(dynamic_slice.* was computed inside of \S+"
     r" \(reduce_sum"),
    ("scan_gradient", "0.12.0.1", "0.7.2", r"kept for the backward pass by the scan.* was not there"),
    ("normalized_layers", "0.12.0.1", "0.7.2", r"\(copy of add_any.* shared the memory of dot.*"
     r" both are live from step 152 to 153"),
]  # fmt: skip


def reasons(tool, old, new):
    run = subprocess.run([tool, old, new], capture_output=True, text=True, check=False)
    return run.stdout.partition("  why:\n")[2].splitlines()


def main():
    tool, *releases = sys.argv[1:]
    folders = {name: pathlib.Path(path) for name, _, path in (r.partition("=") for r in releases)}
    named = count = 0
    for program, old, new, expected in EXPECTED:
        if old not in folders or new not in folders:
            continue
        lines = reasons(tool, folders[old] / program, folders[new] / program)
        found = bool(lines) and bool(re.search(expected, lines[0]))
        count += 1
        named += found
        print(f"{'named ' if found else 'MISSED'} {program} {old} -> {new}")
        if not found:
            print("\n".join(lines))
    print(f"{named} of {count}")


if __name__ == "__main__":
    main()
