"""`python -m hlobuf ARGS` is `hlobuf-verify ARGS`."""

import os
import sys

from hlobuf import Trouble, program

if __name__ == "__main__":
    try:
        path = str(program())
    except Trouble as trouble:
        print(f"error: {trouble}", file=sys.stderr)
        sys.exit(2)
    os.execv(path, [path, *sys.argv[1:]])
