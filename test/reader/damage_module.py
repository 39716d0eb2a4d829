"""damage_module.py SCRATCH FOLDER: damages the module text of the dump in FOLDER.

Cuts it after each line, drops each line, swaps it with the next, doubles it, lets
it call or read what another line does, lets it call what a fusion calls, and empties
each computation. No crash, no hang; a cut never passes.
"""
import pathlib
import re
import shutil
import subprocess
import sys

scratch, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
shutil.rmtree(scratch, ignore_errors=True)
shutil.copytree(source, scratch)
assignment = next(scratch.glob("*-buffer-assignment.txt"))
module = scratch / assignment.name.replace("-buffer-assignment.txt", ".txt")
text = module.read_text()
lines = text.splitlines(True)
end = max(i for i, line in enumerate(lines) if line.startswith("}"))


CALLEE = re.compile(r"(?:calls|to_apply|body|branch_computations)=\{?(%[\w.-]+)")


def called(line):
    """Where the name of the last callee or operand of a line is."""
    found = CALLEE.search(line) or re.search(r"\((?:[^()]*, )?(%[\w.-]+)", line)
    return found and found.span(1)


def damages():
    names = [lines[i][slice(*called(lines[i]))] for i in range(end) if called(lines[i])]
    fused = next(CALLEE.search(line)[1] for line in lines if " fusion(" in line)
    for i in range(end):
        here, rest = lines[:i], lines[i + 1 :]
        if i:
            yield "cut", i, here
        yield "drop", i, here + rest
        yield "swap", i, here + rest[:1] + lines[i : i + 1] + rest[1:]
        yield "double", i, lines[: i + 1] + lines[i:]
        if called(lines[i]):
            begin, stop = called(lines[i])
            other = names[(i * 7 + 3) % len(names)]
            yield "name", i, here + [lines[i][:begin] + other + lines[i][stop:]] + rest
        if CALLEE.search(lines[i]):
            yield "fused", i, here + [lines[i][:begin] + fused + lines[i][stop:]] + rest
        if re.match(r"(ENTRY )?%.*\{$", lines[i]):
            yield "empty", i, here + lines[i : i + 1] + lines[lines.index("}\n", i) :]


count = wrong = 0
for kind, number, damaged in damages():
    module.write_text("".join(damaged))
    count += 1
    try:
        run = subprocess.run(["hlobuf-verify", assignment], capture_output=True, timeout=60)
        status = run.returncode
    except subprocess.TimeoutExpired:
        status = "no end"
    good = (1, 2) if kind == "cut" else (0, 1, 2)
    if status not in good:
        wrong += 1
        print(f"{kind} line {number + 1} of {module.name}: exit status {status}")
print(f"{count} damages, {wrong} wrong")
