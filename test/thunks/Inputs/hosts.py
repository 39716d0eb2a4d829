"""hosts.py FILE OUT: writes an executable whose first two computations of the host are
exchanged."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

# pylint: disable=wrong-import-position
from executable import read_executable
from thunks import Program

START, EXECUTABLE = 16, 1
program = Program(read_executable(sys.argv[1]))
starts = [s for t in program.root.thunks() for s in t.message.messages(START)]
first, second = (start.bytes(EXECUTABLE) for start in starts[:2])
starts[0].replace(EXECUTABLE, [second])
starts[1].replace(EXECUTABLE, [first])
with open(sys.argv[2], "wb") as f:
    f.write(read_executable(sys.argv[1]).with_thunks(program.root.message))
