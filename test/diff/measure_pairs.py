#!/usr/bin/env python3
"""measure_pairs.py HLOBUF_DIFF PAIRS...: how well hlobuf-diff explains the pairs that
make_pairs.py compiled.

Prints for each pair whether the planted cause is in the first five lines, and which
share of the bytes at the peaks belongs to values that were matched, or explained: the
other program has the value, but not at its peak, or has fewer values of this operation,
source line and shape.
"""

import json
import pathlib
import re
import subprocess
import sys

SHOWN = {
    "layer": r"new arguments: \d+ argument|dimension of \d+ arguments? changed from 4 to 5",
    "batch": r"dimension of 1 argument changed from 16 to 32",
    "remat": r"recomputed instructions",
    "donation": r"no longer donated: \d+ argument",
    "release": r"another release of XLA|another compiler",
}
LINES = 5


def shares(diff):
    """Bytes at both peaks: of matched values, of explained ones, and all."""
    keys = ("matched_bytes", "explained_bytes", "unmatched_bytes")
    matched, explained, unmatched = (sum(space[key] for space in diff["spaces"]) for key in keys)
    return matched, explained, matched + unmatched


def measure(tool, pair):
    command = [tool, pair / "old", pair / "new"]
    text = subprocess.run(command, capture_output=True, text=True, check=False)
    data = subprocess.run([*command, "--format=json"], capture_output=True, text=True, check=False)
    if text.returncode == 2 or len(data.stdout.splitlines()) != 1:
        return None
    cause = pair.name.partition("-")[0]
    lines = "\n".join(text.stdout.splitlines()[:LINES])
    same = text.returncode == 0
    return bool(re.search(SHOWN[cause], lines)) or same, same, shares(json.loads(data.stdout))


def main():
    tool, *folders = sys.argv[1:]
    pairs = [pair for folder in folders for pair in sorted(pathlib.Path(folder).iterdir())]
    named = matched = explained = total = count = 0
    by_cause = {}
    for pair in pairs:
        found = measure(tool, pair)
        if found is None:
            print(f"{pair}: not compared")
            continue
        is_named, same, (m, s, t) = found
        count += 1
        named += is_named
        matched, explained, total = matched + m, explained + s, total + t
        sums = by_cause.setdefault(pair.name.partition("-")[0], [0, 0, 0, 0])
        sums[:] = [old + new for old, new in zip(sums, (1, m, s, t))]
        print(
            f"{pair.parent.name}/{pair.name}: {'cause named' if is_named else 'CAUSE MISSED'}"
            f"{', no difference' if same else ''}, {m / max(1, t):.1%} matched, "
            f"{(m + s) / max(1, t):.1%} matched or explained"
        )
    for cause, (pairs_of_it, m, s, t) in by_cause.items():
        print(f"{cause}: {pairs_of_it} pairs, {m / t:.0%} | {(m + s) / t:.1%}")
    print(
        f"{count} pairs: cause named in {named}; {matched / max(1, total):.1%} of the bytes "
        f"at the peaks matched, {(matched + explained) / max(1, total):.1%} matched or explained"
    )


if __name__ == "__main__":
    sys.exit(main())
