#!/usr/bin/env python3
"""edited.py EXECUTABLE [OLD NEW]...: verifies what the executable holds as a text dump, with
each OLD in its thunks replaced by NEW. OLD must be there once; a NEW of `-` takes the line
away, one that begins with `+` is a line after it. Prints the findings and the exit status."""

import pathlib
import subprocess
import sys
import tempfile

NAMES = {"dump": "m-buffer-assignment.txt", "module": "m.txt", "thunks": "m-thunks.txt"}


def edit(text, old, new):
    lines = text.splitlines()
    at = [i for i, line in enumerate(lines) if old in line]
    if len(at) != 1 or lines[at[0]].count(old) != 1:
        sys.exit(f"'{old}' is in {len(at)} lines")
    i = at[0]
    if new == "-":
        del lines[i]
    elif new.startswith("+"):
        lines.insert(i + 1, new[1:])
    else:
        lines[i] = lines[i].replace(old, new)
    return "\n".join(lines) + "\n"


def main():
    executable, *edits = sys.argv[1:]
    tool = ["hlobuf-verify", "--no-config"]
    with tempfile.TemporaryDirectory() as folder:
        for kind, name in NAMES.items():
            emit = subprocess.run(
                [*tool, f"--emit={kind}", executable], capture_output=True, text=True, check=True
            )
            text = emit.stdout
            if kind == "thunks":
                for old, new in zip(edits[::2], edits[1::2]):
                    text = edit(text, old, new)
            (pathlib.Path(folder) / name).write_text(text)
        done = subprocess.run([*tool, NAMES["dump"]], cwd=folder, check=False)
    print(f"exit status {done.returncode}", flush=True)


main()
