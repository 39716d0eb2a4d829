"""toyc.py PROGRAM: the memory planner of this project's compiler.

Each line `NAME FLOATS LAST` of a program is a value, written in the step of that
line and read for the last time by the value LAST. Prints the buffer assignment.
With --eager memory is free a step before the last read: less memory, and wrong.
"""

import re
import sys


def read_program(path):
    """(name, bytes, first step, last step) of each value."""
    with open(path, encoding="utf-8") as program:
        rows = re.findall(r"^(\w+) (\d+) (\w+)$", program.read(), re.MULTILINE)
    steps = {name: step for step, (name, _, _) in enumerate(rows)}
    return [(n, 4 * int(size), steps[n], steps[last]) for n, size, last in rows]


def place(values, eager):
    """The offset of each value: the lowest that is free while it lives."""
    placed = {}
    for name, size, first, last in values:
        taken = sorted(
            (placed[other], placed[other] + length)
            for other, length, begin, end in values
            if other in placed and begin <= last and first <= end - 2 * eager
        )
        offset = 0
        for begin, end in taken:
            if offset + size <= begin:
                break
            offset = max(offset, end)
        placed[name] = offset
    return placed


def main():
    values = read_program(sys.argv[-1])
    placed = place(values, "--eager" in sys.argv)
    total = max(placed[name] + size for name, size, _, _ in values)
    print(f"BufferAssignment:\nallocation 0: size {total}, preallocated-temp:")
    for number, (name, size, _, _) in enumerate(values):
        shape = f"f32[{size // 4}]{{0}}"
        print(
            f" value: <{number} {name} @0> (size={size},offset={placed[name]}): {shape}"
        )
    print(f"\nTotal bytes used: {total} ({total}B)\n\nUsed values:\n\n")
    print(f"HloLiveRange (max {len(values)}):\n  InstructionSequence:")
    for name, _, first, _ in values:
        print(f"    {first}:{name}")
    print("  BufferLiveRange:")
    for name, _, first, last in values:
        print(f"    {name}{{}}:{first}-{last}")
    print_peak(values)


def print_peak(values):
    """The values that are live in the step that needs most."""
    live = [
        [(name, size) for name, size, first, last in values if first <= step <= last]
        for step in range(len(values))
    ]
    peak = max(live, key=lambda each: sum(size for _, size in each))
    print(f"  Live ranges at {live.index(peak)} (peak):")
    cumulative = 0
    for name, size in peak:
        cumulative += size
        print(f"    {name}{{}}: {size} bytes (cumulative: {cumulative} bytes)")


main()
