"""dropped.py FILE OUT [KIND]: writes an executable without its last thunk, or the last one
of that kind, and reads it again."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

# pylint: disable=wrong-import-position
from executable import read_executable
from thunks import Program

program = Program(read_executable(sys.argv[1]))
before = program.root.thunks()
kind = sys.argv[3] if len(sys.argv) > 3 else before[-1].kind
last = max(i for i, thunk in enumerate(before) if thunk.kind == kind)
before.pop(last)
program.root.put(before)
with open(sys.argv[2], "wb") as f:
    f.write(read_executable(sys.argv[1]).with_thunks(program.root.message))
after = Program(read_executable(sys.argv[2])).root.thunks()
same = [a.message.encode() == b.message.encode() for a, b in zip(before, after)]
print(f"one less: {len(after) == len(before) and all(same)}")
