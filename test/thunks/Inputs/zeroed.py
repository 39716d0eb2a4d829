"""zeroed.py FILE OUT: writes an executable with a field 0, which no message has, in a slice
of its first kernel."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

# pylint: disable=wrong-import-position
from executable import read_executable
from thunks import Program

KERNEL, RESULTS = 11, 6
program = Program(read_executable(sys.argv[1]))
kernel = next(k for t in program.root.thunks() for k in t.message.messages(KERNEL))
kernel.replace(RESULTS, [kernel.bytes(RESULTS) + b"\x00\x00"])
with open(sys.argv[2], "wb") as f:
    f.write(read_executable(sys.argv[1]).with_thunks(program.root.message))
