"""known_defects.py ROOT: the table of known defects is that of docs/defects.md: each
section that the page's first table links to has a line, and the checks of the line
find it there. Numbers, upstream issues and ways around are those of the page. No anchor begins with a digit: browsers refuse it as a selector."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/defects.md").read_text(encoding="utf-8")
table = (root / "lib/Driver/KnownDefects.def").read_text(encoding="utf-8")


def anchor(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


headings = {anchor(h): h for h in re.findall(r"^## (.*)$", page, re.M)}
numbers = dict((a, n) for n, a in re.findall(r"^\| \[(\d+)\]\(#([^)]*)\)", page, re.M))
lines = re.findall(r'^HLOBUF_KNOWN_DEFECT\((.*)\)$', table, re.M)
lines = [[field.strip('"') for field in re.findall(r'"[^"]*"|[^," ]+', line)] for line in lines]
problems = [f"no line for {name}" for name in numbers if name not in {x[1] for x in lines}]
problems += [f"no section {name}" for name in numbers if name not in headings]
problems += [f"begins with a digit: {name}" for name in numbers if name[0].isdigit()]
for own, name, backend, checks, *_, upstream, around in lines:
    if name not in numbers:
        problems.append(f"no row of the table links to {name}")
        continue
    number = numbers[name]
    if own != number:
        problems.append(f"{name}: has number {own}, on the page {number}")
    row = re.search(rf"^\| \[{number}\]\(.*\|$", page, re.M)[0]
    if re.findall(r"\((https:[^)]*)\)", row) != [upstream] * bool(upstream):
        problems.append(f"{name}: upstream is {upstream}, on the page {row}")
    section = re.split(r"^## ", page, flags=re.M)[1 + list(headings).index(name)]
    flag = re.search(r"--[a-z_0-9=A-Z-]+", around)
    if flag and flag[0] not in section:
        problems.append(f"{name}: the page does not have the way around, {around}")
    if not around and "way around" in section:
        problems.append(f"{name}: the page has a way around")
    rows = re.findall(rf"^\| {number} \|.*\|$", page, re.M)
    found = set(re.findall(r"checks/([a-z-]+)\.md", "\n".join(rows)))
    if not found & set(checks.split()):
        problems.append(f"{name}: {checks} find it, by the page {sorted(found)} do")
for problem in problems:
    print(problem)
print(f"{len(lines)} known defects, {len(problems)} problems")
