"""files.py FILE OUT [NUMBER]: the executable without its object files, or another field."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
from executable import CpuFile

FILES = 8
file = CpuFile(pathlib.Path(sys.argv[1]).read_bytes())
file.result.replace(int(sys.argv[3]) if len(sys.argv) > 3 else FILES, [])
pathlib.Path(sys.argv[2]).write_bytes(file.prefix + file.outer.encode())
