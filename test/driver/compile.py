"""compile.py FOLDER STATUS: what a program looks like that compiles with XLA.

Copies the dumps in FOLDER to where XLA_FLAGS says, and exits with STATUS, or
dies by the signal -STATUS.
"""
import os
import pathlib
import re
import shutil
import sys

flags = os.environ["XLA_FLAGS"]
print(f"XLA_FLAGS={flags}")
for line in sys.stdin.readlines()[:1]:
    print(f"input: {line}", end="", flush=True)
targets = re.findall(r'--xla_dump_to=(?:"((?:\\.|[^"\\])*)"|(\S+))', flags)
target = re.sub(r"\\(.)", r"\1", targets[-1][0]) or targets[-1][1]
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    shutil.copy(path, target)
status = int(sys.argv[2])
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
