"""compress.py FILE...: writes FILE.gz next to each FILE."""
import gzip
import pathlib
import sys

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
