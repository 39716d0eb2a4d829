"""run_examples.py ROOT [--update]: re-runs the examples of README and docs.

Three forms are known:
  in docs/checks/<id>.md   a fence ```hlobuf with a dump, then a fence ```output
                           with what `hlobuf-verify --checks=-*,<id> dump.txt`
                           prints (the last line may be left out)
  there                    <!-- dump: PATH --> before a fence ```diff, whose
                           changes to PATH, with @@ between them, give the dump
  anywhere                 <!-- output: COMMAND --> before a fence, which holds
                           what COMMAND, run in ROOT, prints
--update writes the new output into the pages: read the difference before
keeping it.
"""

import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = r"^```{language}\n(.*?)^```\n"
DUMP = re.compile(
    FENCE.format(language="hlobuf") + r"|^<!-- dump: (\S+) -->\n```diff\n(.*?)^```\n", re.M | re.S
)
OUTPUT = re.compile(FENCE.format(language="output"), re.M | re.S)
COMMAND = re.compile(r"^<!-- output: ([^\n]*) -->\n```\w*\n(.*?)^```\n", re.M | re.S)


def run(command, folder):
    done = subprocess.run(
        command, cwd=folder, shell=True, capture_output=True, text=True, check=False
    )
    return done.stdout


def strip_last(text):
    """Without the line that says what was verified."""
    return re.sub(r"^.*\d+ of \d+ checks passed.*\n\Z", "", text, flags=re.M)


def changed(root, name, diff):
    """The file name below root with the changes of diff."""
    text = (root / name).read_text(encoding="utf-8")
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        if text.count(old) != 1:
            raise SystemExit(f"{name} has {text.count(old)} places like\n{old}")
        text = text.replace(old, new)
    return text


def check_page(root, path, text):
    """(start, end, there, wanted) of each ```output of a check's page."""
    for dump in DUMP.finditer(text):
        output = OUTPUT.search(text, dump.end())
        if not output:
            raise SystemExit(f"{path}: a dump without output")
        with tempfile.TemporaryDirectory() as folder:
            whole = dump[1] if dump[1] is not None else changed(root, dump[2], dump[3])
            pathlib.Path(folder, "dump.txt").write_text(whole, encoding="utf-8")
            wanted = run(f"hlobuf-verify '--checks=-*,{path.stem}' dump.txt", folder)
        if "checks passed" not in output[1].rstrip().split("\n")[-1]:
            wanted = strip_last(wanted)
        yield output.start(1), output.end(1), output[1], wanted


def examples(root, path, text):
    if path.parent.name == "checks" and path.stem != "index":
        yield from check_page(root, path, text)
    for found in COMMAND.finditer(text):
        command = re.sub(r"^not ", "", found[1])
        missing = [each for each in re.findall(r"hlobuf-\w+", command) if not shutil.which(each)]
        yield found.start(2), found.end(2), found[2], None if missing else run(command, root)


def main():
    if not shutil.which("hlobuf-verify"):
        sys.exit("hlobuf-verify is not in PATH: no example can be run")
    root = pathlib.Path(sys.argv[1])
    update = "--update" in sys.argv
    count = differ = 0
    pages = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
    for path in pages:
        text = path.read_text(encoding="utf-8")
        found = list(examples(root, path, text))
        if path.parent.name == "checks" and path.stem != "index" and not found:
            print(f"{path}: no example")
            differ += 1
        for start, end, there, wanted in reversed(found):
            count += 1
            if there == wanted and wanted:
                continue
            differ += 1
            if wanted is None:
                print(f"{path}: not run, and left as it is: its program is not in PATH")
                continue
            print(f"{path}:")
            print("".join(difflib.unified_diff(there.splitlines(True), wanted.splitlines(True), "there", "wanted")))
            text = text[:start] + wanted + text[end:]
        if update:
            path.write_text(text, encoding="utf-8")
    print(f"{count} examples, {differ} differ")


main()
