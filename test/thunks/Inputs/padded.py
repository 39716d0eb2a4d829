"""padded.py FILE OUT: the executable with a size that takes a byte more than it needs."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
from executable import CpuFile
from wire import read_varint, varint

file = CpuFile(pathlib.Path(sys.argv[1]).read_bytes())
result = file.result.encode()
size, at = read_varint(result, 1)
padded = bytes([result[0]]) + varint(size)[:-1] + bytes([varint(size)[-1] | 128, 0]) + result[at:]
file.outer.replace(1, [padded])
pathlib.Path(sys.argv[2]).write_bytes(file.prefix + file.outer.encode())
