"""cut_values.py FILE: cuts the last value off a values file."""

import sys

with open(sys.argv[1], encoding="utf-8") as text:
    head, _, _ = text.read().rpartition("\n<")
with open(sys.argv[1], "w", encoding="utf-8") as text:
    text.write(head + "\n")
