"""emptied.py FILE OUT: writes an executable whose dynamic-slice fusions copy nothing."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

# pylint: disable=wrong-import-position
from executable import read_executable
from thunks import Program

program = Program(read_executable(sys.argv[1]))
emptied = 0
for thunk in program.root.thunks():
    for fusion in thunk.message.messages(60):
        fusion.replace(6, [])
        emptied += 1
with open(sys.argv[2], "wb") as f:
    f.write(read_executable(sys.argv[1]).with_thunks(program.root.message))
print(f"{emptied} emptied")
