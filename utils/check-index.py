#!/usr/bin/env python3
"""Writes docs/checks/index.md from lib/Checks/Checks.def.

With --check it only compares. Either way it fails if a rule of the catalogue has
neither a check nor a reason for having none, or has both.
"""

import argparse
import collections
import pathlib
import sys

import registry

INDEX = registry.PAGES / "index.md"


def problems_of(checks, rules, reasons):
    """What is wrong with the two files, a line each."""
    known = [rule for rule, _ in rules]
    excused = [rule for rule, _ in reasons]
    covered = collections.defaultdict(list)
    for check in checks:
        for rule in check.rules:
            covered[rule].append(check.id)
    problems = [
        f"{registry.CATALOGUE}: {rule} is listed {count} times"
        for names in (known, excused)
        for rule, count in collections.Counter(names).items()
        if count > 1
    ]
    for rule in covered:
        if rule not in known:
            problems.append(
                f"{registry.CHECKS}: {' '.join(covered[rule])}: no rule {rule}"
            )
    for rule in excused:
        if rule not in known:
            problems.append(f"{registry.CATALOGUE}: a reason for no rule: {rule}")
    for rule in known:
        if rule in covered and rule in excused:
            problems.append(
                f"{rule} has a check ({' '.join(covered[rule])}) and a reason for "
                "having none"
            )
        if rule not in covered and rule not in excused:
            problems.append(f"{rule} has neither a check nor a reason for having none")
    return problems


def cell(text):
    return text.replace("|", "\\|")


def link(check):
    return f"[{check.id}]({check.id}.md)"


def index_of(checks):
    lines = [
        "<!-- Written by utils/check-index.py from lib/Checks: do not edit. -->",
        "",
        "# Checks",
        "",
        "By [sentence of the verdict](../verdict.md#the-five-sentences). A finding is an error unless it says so.",
        f"`{registry.CHECKS}` names the rules of each, and `{registry.CATALOGUE}` states them, and why some",
        "have no check.",
    ]
    for sentence in [*registry.SENTENCES.values(), ""]:
        belong = [check for check in checks if check.sentence == sentence]
        if not belong:
            continue
        lines += ["", f"## {(sentence or 'lints').capitalize()}", ""]
        lines += ["| check | what it proves |", "| --- | --- |"]
        for check in belong:
            warns = " (a warning)" if check.severity == "Warning" else ""
            lines.append(f"| {link(check)} | {cell(check.summary)}{warns} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--root", type=pathlib.Path, default=registry.ROOT)
    options = parser.parse_args()

    files = (
        registry.read_checks(options.root),
        registry.read_rules(options.root),
        registry.read_reasons(options.root),
    )
    problems = problems_of(*files)
    path = options.root / INDEX
    index = index_of(files[0])
    if not options.check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(index, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != index:
        problems.append(f"{INDEX} is out of date: run utils/check-index.py")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
