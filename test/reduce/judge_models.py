"""judge_models.py REDUCE PYTHON FOLDER: how many modules of FOLDER have right numbers."""

import pathlib
import subprocess
import sys

reduce, python, folder = sys.argv[1:]
files = sorted(pathlib.Path(folder).glob("*.txt"))
right = 0
for file in files:
    command = [reduce, "--wrong-numbers", f"--python={python}", file, "-o", f"{file}.small"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 1 and "its numbers are right" in run.stderr:
        right += 1
    else:
        print(file.name, run.returncode, run.stderr)
print(f"{right} of {len(files)} models are right")
