"""same_dumps.py PLANTED FOUND: each of the planted dumps has one finding."""
import json
import pathlib
import sys

planted = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").split("\n")[:-1]
found = []
with open(sys.argv[2], encoding="utf-8") as lines:
    for line in lines:
        result = json.loads(line)
        found += [result["dump"]] * len(result["findings"])
if sorted(found) != sorted(planted):
    sys.exit(f"planted {sorted(planted)}, found {sorted(found)}")
print(f"{len(found)} findings in the {len(set(found))} planted dumps")
