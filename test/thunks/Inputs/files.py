"""files.py FILE OUT: the executable without its object files."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
from executable import CpuFile

FILES = 8
file = CpuFile(pathlib.Path(sys.argv[1]).read_bytes())
file.result.replace(FILES, [])
pathlib.Path(sys.argv[2]).write_bytes(file.prefix + file.outer.encode())
