"""columns.py FILE: demands that the rows of a table are sorted, and that all columns but
the last begin at the same place in each."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as table:
    rows = table.read().splitlines()
assert rows == sorted(rows), "not sorted"
severity = {re.match(r"\S+ +", row).end() for row in rows}
assert len(severity) == 1, severity
summary = {re.match(r"\S+ +\w+ +(?:[A-Z]\d+ )* *", row).end() for row in rows}
assert len(summary) == 1, summary
