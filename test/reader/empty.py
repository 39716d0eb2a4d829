"""empty.py FOLDER TAIL: empties the files of FOLDER whose names end in TAIL."""

import os
import sys

folder, tail = sys.argv[1:]
found = [name for name in os.listdir(folder) if name.endswith(tail)]
for name in found:
    open(os.path.join(folder, name), "w").close()
sys.exit(not found)
