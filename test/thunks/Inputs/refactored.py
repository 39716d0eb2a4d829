"""refactored.py FILE PRE SIZE OUT: writes an executable whose first groups along a part of a
mesh's axis are along another part."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

# pylint: disable=wrong-import-position
from executable import CpuFile

with open(sys.argv[1], "rb") as f:
    file = CpuFile(f.read())
module = file.result.message(1).message(1)
groups = [
    axis.message(2)
    for computation in module.messages(3)
    for instruction in computation.messages(2)
    for mesh in instruction.messages(93)
    for axis in mesh.messages(2)
]
groups[0].replace(1, [int(sys.argv[2])])
groups[0].replace(2, [int(sys.argv[3])])
with open(sys.argv[4], "wb") as f:
    f.write(file.prefix + file.outer.encode())
