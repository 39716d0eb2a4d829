"""dropped.py FILE OUT: writes an executable without its last thunk and reads it again."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

# pylint: disable=wrong-import-position
from executable import read_executable
from thunks import Program

program = Program(read_executable(sys.argv[1]))
before = program.root.thunks()
program.root.put(before[:-1])
with open(sys.argv[2], "wb") as f:
    f.write(read_executable(sys.argv[1]).with_thunks(program.root.message))
after = Program(read_executable(sys.argv[2])).root.thunks()
same = [a.message.encode() == b.message.encode() for a, b in zip(before, after)]
print(f"one less: {len(after) == len(before) - 1 and all(same)}")
