"""known_defects.py ROOT: the table of known defects is that of docs/defects.md: each
section with a number has a line, and the checks of the line find it there."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/defects.md").read_text(encoding="utf-8")
table = (root / "lib/Driver/KnownDefects.def").read_text(encoding="utf-8")


def anchor(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


sections = {anchor(h): h for h in re.findall(r"^## (\d+\. .*)$", page, re.M)}
lines = re.findall(r'^HLOBUF_KNOWN_DEFECT\("([^"]*)", (\w+), "([^"]*)"', table, re.M)
problems = [f"no line for {name}" for name in sections if name not in {x[0] for x in lines}]
for name, backend, checks in lines:
    if name not in sections:
        problems.append(f"no section {name}")
        continue
    number = sections[name].split(".")[0]
    rows = re.findall(rf"^\| {number} \|.*\|$", page, re.M)
    found = set(re.findall(r"checks/([a-z-]+)\.md", "\n".join(rows)))
    if not found & set(checks.split()):
        problems.append(f"{name}: {checks} find it, by the page {sorted(found)} do")
for problem in problems:
    print(problem)
print(f"{len(lines)} known defects, {len(problems)} problems")
