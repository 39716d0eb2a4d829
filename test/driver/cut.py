"""cut.py BYTES FILE: prints FILE without its last BYTES bytes."""

import sys

with open(sys.argv[2], "rb") as text:
    sys.stdout.buffer.write(text.read()[: -int(sys.argv[1])])
