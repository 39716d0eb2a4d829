"""options.py FILE OUT NUMBER VALUE: the executable with another compile option; one whose
number begins with a point is of the build."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
from executable import CpuFile
from wire import Message

OPTIONS, BUILD = 2, 3
source, target, number, value = sys.argv[1:]
file = CpuFile(pathlib.Path(source).read_bytes())
options = Message(file.outer.bytes(OPTIONS))
if number.startswith("."):
    build = Message(options.bytes(BUILD))
    build.set_number(int(number[1:]), int(value))
    options.replace(BUILD, [build.encode()])
else:
    options.set_number(int(number), int(value))
file.outer.replace(OPTIONS, [options.encode()])
pathlib.Path(target).write_bytes(file.prefix + file.outer.encode())
