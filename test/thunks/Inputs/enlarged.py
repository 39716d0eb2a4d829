"""enlarged.py FILE OUT: an executable for a GPU whose kernels come after a module of 70,000 bytes."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
from wire import read_varint, varint

MODULE, ASSIGNMENT, BINARY, COMMENT = 1, 2, 4, 21
RESULT = 98  # in reduced.cuda


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def take(data, at):
    """The content of the field at a place, and where it ends."""
    size, begin = read_varint(data, at + 1)
    return data[begin : begin + size], begin + size


data = pathlib.Path(sys.argv[1]).read_bytes()
with_config, end = take(data, RESULT)
assignment, _ = take(data, end)
module, end = take(with_config, 0)
module += field(COMMENT, b"x" * 70000)
result = field(MODULE, field(MODULE, module) + with_config[end:]) + field(ASSIGNMENT, assignment)
pathlib.Path(sys.argv[2]).write_bytes(result + field(BINARY, b"\x7fELF .nv.info"))
