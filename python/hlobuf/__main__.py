"""`python -m hlobuf ARGS` is `hlobuf-verify ARGS`."""

import os
import sys

from hlobuf import InputError, program

if __name__ == "__main__":
    try:
        path = str(program())
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    os.execv(path, [path, *sys.argv[1:]])
