"""check_rows.py FILE: the rows of each comparison of hlobuf-diff --format=json add up to
the change of the peak."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    comparisons = [json.loads(line) for line in file]
for comparison in comparisons:
    assert comparison["differs"] == any(s["rows"] for s in comparison["spaces"]), comparison
    for space in comparison["spaces"]:
        change = sum(row["new_bytes"] - row["old_bytes"] for row in space["rows"])
        assert change == space["new_peak"] - space["old_peak"], space
print(f"{len(comparisons)} comparison{'s' * (len(comparisons) != 1)}, rows add up")
