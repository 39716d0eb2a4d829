#!/usr/bin/env python3
"""measure_saved.py HLOBUF_VERIFY FOLDER: whether the programs that recompile.py compiled,
changed as a lint says, need as many bytes less as the lint says.

Prints for each program what its findings say in all and what was saved of what the main
memory needs, and for each lint in how many both differ by no more than a tenth.
"""

import json
import pathlib
import subprocess
import sys

TOLERANCE = 0.1


def summary(tool, folder, lint):
    command = [tool, "--no-config", f"--checks=-*,{lint}", "--summary", "--top=1000",
               "--format=json", folder]  # fmt: skip
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    dumps = [json.loads(line) for line in found.splitlines()]
    memory = max(
        (dump["summary"] for dump in dumps if "summary" in dump),
        key=lambda memory: memory["total_bytes"],
        default=None,
    )
    if memory is None:
        return None
    said = sum(
        saving["bytes"] * saving.get("count", 1)
        for saving in memory["savings"]
        if saving["check"] == lint
    )
    main = next(space for space in memory["spaces"] if space["color"] == 0)
    return said, main["bytes"]


def main():
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    for lint in sorted(path for path in root.iterdir() if path.is_dir()):
        right = count = silent = 0
        for program in sorted(lint.iterdir()):
            before = summary(tool, program / "before", lint.name)
            after = summary(tool, program / "after", lint.name)
            if before is None or after is None:
                print(f"{lint.name}/{program.name}: not compared")
                continue
            said, saved = before[0], before[1] - after[1]
            if said == 0:
                silent += 1
                print(f"{lint.name}/{program.name}: no finding, {saved} of {before[1]} saved")
                continue
            close = abs(said - saved) <= TOLERANCE * max(saved, 0)
            count += 1
            right += close
            print(
                f"{lint.name}/{program.name}: {said} said, {saved} saved of {before[1]}"
                f"{'' if close else ' WRONG'}"
            )
        print(f"{lint.name}: {right} of {count} within a tenth, {silent} without a finding")


if __name__ == "__main__":
    sys.exit(main())
