"""injection.py SCRATCH FORMAT: names that try to write into logs and terminals.

The folder's name, a line of the dump, and a configuration begin lines with
commands, move the cursor, turn the text around, and hold what XML forbids. The
output is printed with what is left of that made visible.
"""

import os
import shutil
import subprocess
import sys

scratch, form = sys.argv[1:]
shutil.rmtree(scratch, ignore_errors=True)
os.makedirs(scratch)
os.chdir(scratch)
name = "::error title=x::y\n::error::evil\x1b[31m\u202e\ufffe##[error]z"
os.mkdir(name)
with open(os.path.join(name, "a-buffer-assignment.txt"), "w") as out:
    out.write("BufferAssignment:\n  ::error::line\nx ##[error]line \x1b[31m\n")
    out.write("allocation 7: size 4, maybe-live-out:\n")
    out.write(" value: <0 v @0> (size=4,offset=0): f32[]\n")
run = subprocess.run(
    ["hlobuf-verify", "--format=" + form, name],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    check=False,
)
text = run.stdout.decode()
if form == "junit":
    import xml.dom.minidom

    xml.dom.minidom.parseString(run.stdout)
lines = text.splitlines()
print("commands:", sum("##[" in line for line in lines))
print("commands:", sum(line.strip().startswith("::") for line in text.split("\n")))
for bad in "\x1b\u202e\ufffe":
    print("characters:", text.count(bad))
if form == "text":
    print(text)
