"""round_trip.py PROGRAM FOLDER...: compares what PrintDump prints with the files, byte for byte.

A combined dump is its file; a split one the assignment, then values, then live
ranges.
"""
import pathlib
import subprocess
import sys

TAIL = "-buffer-assignment.txt"


def parts(path):
    """The files that make up the dump at path."""
    yield path
    if path.name.endswith(TAIL):
        stem = str(path)[: -len(TAIL)]
        for tail in ("-buffer-assignment-values.txt", "-live-range.txt"):
            if pathlib.Path(stem + tail).exists():
                yield pathlib.Path(stem + tail)


def dumps(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.txt")):
        if "tensorflow-1." in str(path):
            continue  # forms from before 2019-09
        with open(path, "rb") as start:
            if start.read(18) == b"BufferAssignment:\n":
                yield path


differ = total = 0
for folder in sys.argv[2:]:
    for path in dumps(folder):
        total += 1
        wanted = b"".join(part.read_bytes() for part in parts(path))
        run = subprocess.run([sys.argv[1], str(path)], capture_output=True)
        if run.stdout != wanted or run.returncode != 0:
            differ += 1
            print(f"{path} differs")
print(f"{total} dumps, {differ} differ")
