#!/usr/bin/env python3
"""Counts what the checks leave out on real dumps, for docs/evidence/gates.md.

    utils/count-gates.py build/release/bin/hlobuf-verify FOLDERS...

prints two tables: each gate with the values, rows or instructions that it leaves out
and the dumps in which it does, and each reason for not running a check with the dumps
that have it. With --complete only dumps with all their files count: there no check may
be skipped for another reason than that it cannot apply.

    utils/count-gates.py --check

fails if a gate or a reason in lib/Checks has no line in docs/evidence/gates.md, or a line there
has no gate, or does not name the sentences of the verdict that its checks belong to.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import registry

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/evidence/gates.md"
LITERALS = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
GATE = re.compile(r"(?:\bexempt\(|^HLOBUF_GATE\(\w+,)" + LITERALS, re.M)
REASON = re.compile(
    r"(?:\bnot(?:Checked|Applicable|CheckedWithout)\("
    r"(?:\s*\w+, Section::\w+,\s*)?\s*(?:fmt::format\()?"
    r"|\bconstexpr const char \*\w+ =|\bReasons\.push_back\(|\bstop\()" + LITERALS
)


def text_of(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def in_sources(root):
    """(gates by check file, reasons) as lib/Checks and what it runs have them."""
    gates, reasons = set(), set()
    folders = [root / "lib/Checks", root / "lib/Dataflow", root / "lib/Proof"]
    for path in sorted(path for each in folders for path in each.rglob("*")):
        if path.suffix not in (".cpp", ".h", ".def"):
            continue
        source = path.read_text()
        gates |= {text_of(m[1]) for m in GATE.finditer(source)}
        reasons |= {text_of(m[1]) for m in REASON.finditer(source)}
    return gates, reasons


def in_page(root):
    """The same, as the page has them: the first cell in backquotes of each row."""
    gates, reasons = set(), set()
    into = None
    for line in (root / PAGE).read_text().splitlines():
        if line.startswith("| gate"):
            into = gates
        elif line.startswith("| reason"):
            into = reasons
        elif not line.startswith("|"):
            into = None
        elif into is not None and (cell := re.match(r"\| `([^`]*)`", line)):
            into.add(cell[1])
    return gates, reasons


def wrong_sentences(root):
    """Rows whose third cell does not name the sentences of the checks in the second."""
    belongs = {each.id: each.sentence for each in registry.read_checks(root)}
    inside = False
    for line in (root / PAGE).read_text().splitlines():
        if not line.startswith("|"):
            inside = False
        elif re.match(r"\| (gate|reason) ", line):
            inside = True
        elif inside and line.startswith("| `"):
            name, checks, sentences = line.split(" | ")[:3]
            named = set(sentences.split(", "))
            wanted = {belongs.get(each, "") for each in checks.split(", ")} - {""}
            if not named <= {*registry.SENTENCES.values(), "none"} or not wanted <= named:
                yield f"{PAGE}: {name[2:]} must name {', '.join(sorted(wanted)) or 'a sentence'}"


def check(root):
    problems = list(wrong_sentences(root))
    for kind, here, there in zip(("gate", "reason"), in_sources(root), in_page(root)):
        problems += [f"{PAGE}: no line for {kind} '{x}'" for x in sorted(here - there)]
        problems += [f"{PAGE}: no such {kind}: '{x}'" for x in sorted(there - here)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def results(tool, folders):
    done = subprocess.run(
        [tool, "--quiet", "--no-config", "--format=json", *folders],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def is_complete(result):
    """The module and whatever else the compiler writes are next to it."""
    roles = set(result["files"])
    return "module" in roles and not any(
        gap["reason"].startswith("no ") and gap["check"] in ("used-values", "module-ranges")
        for gap in result["not_checked"]
    )


def count(arguments):
    gates = collections.Counter()
    dumps_of_gate = collections.Counter()
    reasons = collections.defaultdict(set)
    checks = collections.defaultdict(set)
    dumps = 0
    for result in results(arguments.tool, arguments.folders):
        if result["status"] == "unreadable" or (
            arguments.complete and not is_complete(result)
        ):
            continue
        dumps += 1
        for entry in result["assumed"]:
            key = (entry["check"], entry["gate"])
            gates[key] += entry["count"]
            dumps_of_gate[key] += 1
        for gap in result["not_checked"]:
            reasons[gap["reason"]].add(result["dump"])
            checks[gap["reason"]].add(gap["check"])
    print(f"{dumps} dumps, with what they leave out:")
    for (name, gate), number in gates.most_common():
        print(f"{number:8} in dumps: {dumps_of_gate[name, gate]:5}  {name}: {gate}")
    print()
    for reason in sorted(reasons, key=lambda r: -len(reasons[r])):
        names = sorted(checks[reason])
        shown = ", ".join(names) if len(names) < 4 else f"{len(names)} checks"
        print(f"{len(reasons[reason]):8} not checked: {reason}: {shown}")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tool", nargs="?")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.root)
    if not arguments.tool or not arguments.folders:
        parser.error("a program and folders are needed")
    return count(arguments)


if __name__ == "__main__":
    sys.exit(main())
