"""shortened.py FILE OUT: the executable, whose size says that it ends inside of its module."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
from executable import CpuFile
from wire import varint

file = CpuFile(pathlib.Path(sys.argv[1]).read_bytes())
size = varint(len(file.result.encode()))
whole = file.prefix + file.outer.encode()
shorter = varint(1 << 7 * (len(size) - 1))
assert whole.count(b"\n" + size + b"\n") == 1 and len(shorter) == len(size)
pathlib.Path(sys.argv[2]).write_bytes(whole.replace(b"\n" + size, b"\n" + shorter))
