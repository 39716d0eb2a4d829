"""plant_totals.py FOLDER N: makes the total wrong in N dumps below FOLDER, and
prints their names."""
import pathlib
import re
import sys

TOTAL = re.compile(rb"^Total bytes used: (\d+)", re.MULTILINE)

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
files = [path for path in sorted(folder.rglob("*-buffer-assignment.txt")) if path.is_file()]
files = [path for path in files if TOTAL.search(path.read_bytes())]
for number, path in enumerate(files[:: len(files) // count][:count]):
    more = 8 << number % 3
    change = lambda match: b"Total bytes used: %d" % (int(match[1]) + more)
    path.write_bytes(TOTAL.sub(change, path.read_bytes(), count=1))
    print(path)
