"""malformed_module.py FOLDER: verifies each module of FOLDER, whose files are texts
without a first line, with the assignment that is there too. Every exit status must be 2,
and without the module the assignment has no errors.
"""

import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
text = (folder / "assignment").read_text().rstrip("\n") + "\n"
scratch = folder / "dumps"
scratch.mkdir()
for part in sorted(folder.glob("[0-9]*")):
    (scratch / f"{part.name}-buffer-assignment.txt").write_text(text)
    module = scratch / f"{part.name}.txt"
    module.write_text("HloModule m, is_scheduled=true\n" + part.read_text())
    command = ["hlobuf-verify", "--no-config", f"{scratch}/{part.name}-buffer-assignment.txt"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    print(done.stdout, done.stderr, f"exit status {done.returncode}")
    if done.returncode != 2:
        sys.exit(f"{part.name}: exit status {done.returncode}, expected 2")
