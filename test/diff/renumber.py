"""renumber.py FROM OLD NEW TO: copies a dump, as if it had been compiled at another time:
its files are named NEW where they were named OLD."""

import pathlib
import shutil
import sys

source, old, new, target = sys.argv[1:]
for path in pathlib.Path(source).iterdir():
    shutil.copy(path, pathlib.Path(target, path.name.replace(old, new)))
