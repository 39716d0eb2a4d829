"""frame.py FILE...: prints the files as `--xla_dump_to=-` does."""
import os
import sys

for path in sys.argv[1:]:
    name = os.path.basename(path)
    print(f"*** Begin {name} ***")
    print(open(path, encoding="utf-8").read())
    print(f"*** End {name} ***")
