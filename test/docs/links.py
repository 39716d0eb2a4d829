"""links.py ROOT: each link between pages leads to a file and a heading that are there,
and so does each path of the tree in backquotes. Pages are all that git has with the
ending md or, for paths, yml. `<name>` and `NAME` in a path stand for anything.
"""

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
TREE = re.compile(r"(?:[`\s])((?:utils|lib|test|docs|tools|python|cmake|\.ci|\.github)/[\w./*<>-]*[\w*>])")
EXAMPLE = re.compile("even-?offset", re.I)  # the check that CONTRIBUTING.md starts
FENCE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)


def anchor(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def problems_of_links(root, page, text):
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = (root / page).parent / name if name else root / page
        if not target.exists():
            yield f"{page}: no file {link}"
        elif heading and target.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.M)
            if heading not in map(anchor, headings):
                yield f"{page}: no heading {link}"


def problems_of_paths(root, page, text):
    for path in TREE.findall(text):
        pattern = re.sub(r"<\w+>|\b[A-Z]{2,}\b", "*", path)
        if EXAMPLE.search(path):
            continue
        if not any(root.glob(pattern)) and not any(root.glob(pattern + ".*")):
            yield f"{page}: no file {path}"


def main():
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "*.yml"],
        cwd=root,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout.split()
    pages = [each for each in listed if (root / each).is_file()]
    problems = []
    for page in pages:
        text = (root / page).read_text(encoding="utf-8")
        problems += problems_of_paths(root, page, text)
        problems += problems_of_links(root, page, FENCE.sub("", text))
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
