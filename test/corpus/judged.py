#!/usr/bin/env python3
"""judged.py TOOL CASES: dumps that were judged wrongly once, and how they are judged now.

CASES/false-alarms/*: sound dumps, which must get no finding.
CASES/missed/*: broken dumps, which must get an error, or a warning where a release or a
chip may mean it.
CASES/true-defects/*: what compilers got wrong, which must get an error.

Prints one line for each case that is judged wrongly, then the counts.
"""

import json
import os
import subprocess
import sys

# Whether the dumps of a folder must get a finding.
EXPECTED = {"false-alarms": False, "missed": True, "true-defects": True}
# A sound dump looks the same: jaxlib 0.12.0.1 writes the memory space of host arguments
# into entry_computation_layout alone on CPU.
# What u8 indices read there is either what they overwrite or 52 elements away, for each of
# their 256 values.
SOUND = {"entry-layout-memory-space", "inplace-dus-u8-wraps"}


def findings(tool, folder):
    done = subprocess.run(
        [tool, "--format=json", "--no-config", folder],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    found = []
    for line in done.stdout.splitlines():
        verdict = json.loads(line)
        found += [(f["severity"], f["check"]) for f in verdict.get("findings", [])]
    return done.returncode, found


def cases_of(folder, programs):
    """The folders of dumps, and each program in the folder `executables`, if asked for: what
    is missed in programs is not judged here."""
    names = [name for name in os.listdir(folder) if name != "executables"]
    # A file of an own name is not looked for in a folder.
    framed = [os.path.join(name, "framed.txt") for name in names]
    names = [f if os.path.exists(os.path.join(folder, f)) else n for n, f in zip(names, framed)]
    if programs:
        found = os.listdir(os.path.join(folder, "executables"))
        names += [os.path.join("executables", name) for name in found]
    return sorted(names)


def main():
    tool, cases = sys.argv[1:]
    for group, needed in EXPECTED.items():
        names = cases_of(os.path.join(cases, group), group == "false-alarms")
        right = 0
        for name in names:
            status, found = findings(tool, os.path.join(cases, group, name))
            wrong = bool(found) != (needed and name not in SOUND) or status > 1
            if wrong:
                print(f"{group}/{name}: exit status {status}, {found or 'no finding'}")
            right += not wrong
        print(f"{group}: {right} of {len(names)} judged right")


if __name__ == "__main__":
    main()
