"""cut_assignment.py SCRATCH DUMP...: assignments that end at any line, next to whole
siblings; none of them is a pass."""

import glob
import os
import subprocess
import sys

scratch, *dumps = sys.argv[1:]
passed = cuts = 0
for dump in dumps:
    (path,) = glob.glob(dump + "/*-buffer-assignment.txt")
    with open(path, "rb") as text:
        data = text.read()
    others = [other for other in glob.glob(dump + "/*.txt") if other != path]
    # After the last line it is whole.
    for end in [i + 1 for i, byte in enumerate(data) if byte == 10][:-1]:
        folder = os.path.join(scratch, str(cuts))
        os.makedirs(folder)
        for other in others:
            os.symlink(other, os.path.join(folder, os.path.basename(other)))
        with open(os.path.join(folder, os.path.basename(path)), "wb") as out:
            out.write(data[:end])
        run = subprocess.run(["hlobuf-verify", folder], capture_output=True)
        cuts += 1
        if run.returncode not in (1, 2):
            passed += 1
            print(f"cut at {end} of {len(data)}: {path}")
print(f"{cuts} cuts, {passed} passed")
