"""peak.py FILE...: the peaks of `hlobuf-verify --summary --format=json` (a
line per dump, on standard input or in FILE), and what of them is idle, against
a count by hand.

The count reads allocations, values and live ranges with expressions of its
own, and adds up all bytes again at every step at which a value begins. It
costs steps times values: --values=N leaves larger dumps out.
"""

import argparse
import fileinput
import json
import re
import sys

ALLOCATION = re.compile(r"^allocation \d+: (?:0x[0-9a-f]+, )?size (\d+)(.*):$")
VALUE = re.compile(
    r"^ value: <\d+ (\S+?)(\{[\d,]*\})?(?: \(phi\))? @-?\d+> "
    r"\(size=(\d+),offset=(\d+)\)"
)
RANGE = re.compile(r"^ +(\S+?)(\{[\d,]*\}):(\d+)-(\d+)$")


def read(files):
    """Allocations as (color, size, is temp, values), live ranges by name."""
    allocations = []
    with open(files["assignment"], encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if found := ALLOCATION.match(line):
                flags = found[2]
                color = re.search(r", color (-?\d+)", flags)
                if ", parameter " in flags:
                    kind = "held"
                elif ", constant" in flags:
                    kind = "constant"
                elif ", thread-local" in flags:
                    kind = "thread-local"
                elif ", maybe-live-out" in flags:
                    kind = "held"
                else:
                    kind = "temp" if ", preallocated-temp" in flags else "held"
                allocations.append(
                    (int(color[1]) if color else 0, int(found[1]), kind, [])
                )
            elif found := VALUE.match(line):
                begin = int(found[4])
                span = (found[1], found[2] or "{}", begin, begin + int(found[3]))
                allocations[-1][3].append(span)
    ranges = {}
    path = files.get("live_range", files["assignment"])
    inside = False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("  BufferLiveRange:"):
                inside = True
            elif inside and (found := RANGE.match(line)):
                ranges[found[1], found[2]] = int(found[3]), int(found[4])
            elif inside:
                break
    return allocations, ranges


def covered(spans):
    """Bytes in the union of (begin, end)."""
    total = last = 0
    for begin, end in sorted(spans):
        begin = max(begin, last)
        if end > begin:
            total += end - begin
            last = end
    return total


def live_bytes(allocation, ranges, step):
    """Bytes of an allocation in which some value is live at a step."""
    _, size, _, values = allocation
    return covered(
        (min(begin, size), min(end, size))
        for name, index, begin, end in values
        if (name, index) in ranges
        and ranges[name, index][0] <= step <= ranges[name, index][1]
    )


def peaks(allocations, ranges):
    """{color: (allocated, peak, first step of the peak, idle bytes there)}"""
    starts = sorted({0} | {start for start, _ in ranges.values()})
    result = {}
    for color in {a[0] for a in allocations}:
        here = [a for a in allocations if a[0] == color and a[2] != "thread-local"]
        temps = [a for a in here if a[2] == "temp"]
        held = sum(a[1] for a in here if a[2] != "temp")
        most, at = -1, 0
        for step in starts:
            live = sum(live_bytes(a, ranges, step) for a in temps)
            if live > most:
                most, at = live, step
        idle = sum(
            a[1] - live_bytes(a, ranges, at) for a in here if a[2] == "held" and a[3]
        )
        result[color] = sum(a[1] for a in here), held + most, at, idle
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=2000)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    counts = dict.fromkeys(("equal", "different", "without ranges", "larger"), 0)
    for line in fileinput.input(options.files, encoding="utf-8"):
        if not line.startswith("{"):
            continue
        result = json.loads(line)
        summary = result.get("summary")
        if not summary or summary.get("times") != "dump":
            counts["without ranges"] += 1
            continue
        allocations, ranges = read(result["files"])
        if sum(len(a[3]) for a in allocations) > options.values:
            counts["larger"] += 1
            continue
        want = peaks(allocations, ranges)
        got = {
            space["color"]: tuple(
                space[key]
                for key in ("bytes", "peak_bytes", "peak_step", "idle_peak_bytes")
            )
            for space in summary["spaces"]
        }
        if got == want:
            counts["equal"] += 1
            continue
        counts["different"] += 1
        print(f"{result['dump']}: {got}, expected {want}")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return counts["different"] != 0


if __name__ == "__main__":
    sys.exit(main())
