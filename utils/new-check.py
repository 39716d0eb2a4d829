#!/usr/bin/env python3
"""Starts a check: source, registry line, page, a firing and a silent test.

  utils/new-check.py buffer-overlap --group Sharing --sentence NoOverlap \\
      --rules "D08 D09" --needs Allocations LiveRanges

With --check it proves that these agree for every check there is.
"""

import argparse
import pathlib
import re
import sys
import textwrap

import registry

SOURCE = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TODO: the rule{rules}, why XLA guarantees it (its source file), and the
// known exceptions, each with the dump that taught it.

#include "Checks/Check.h"

using namespace hlobuf;

void hlobuf::check{function}(const CheckContext &Ctx, Reporter &Diags) {{
  (void)Ctx;
  (void)Diags; // TODO
}}
"""

PAGE = """\
# {id}

{sentence}

TODO: why that must hold, and what goes wrong at run time where it does not.

## Example

TODO: a broken dump, and what hlobuf-verify says about it.
"""

FIRING = """\
// RUN: sed 's/TODO/TODO/' %S/Inputs/chain.txt > %t.txt
// RUN: {run} %t.txt 2>&1 | FileCheck %s \\
// RUN:   --implicit-check-not=error: --implicit-check-not=warning:
//
// TODO: the situation, and which compiler bug makes it.
//
// CHECK: :TODO:1: {severity}: TODO [{id}]
"""

SILENT = """\
// RUN: sed 's/TODO/TODO/' %S/Inputs/chain.txt > %t.txt
// RUN: {run} %t.txt 2>&1 | FileCheck %s \\
// RUN:   --implicit-check-not=error: --implicit-check-not=warning:
//
// TODO: what looks like the fault but is sound, and why.
//
// CHECK: 1 of 1 checks passed
"""


def create(root, group, check):
    """Writes the files of a new check."""
    write(
        root / registry.CHECKS.parent / group / f"{check.function}.cpp",
        SOURCE.format(
            rules=f" ({', '.join(check.rules)})" if check.rules else "",
            function=check.function,
        ),
    )
    sentence = check.summary[:1].upper() + check.summary[1:] + "."
    write(
        root / check.page,
        PAGE.format(id=check.id, sentence=textwrap.fill(sentence, 80)),
    )
    alone = f"hlobuf-verify --checks=-*,{check.id}"
    tests = root / registry.TESTS
    firing = FIRING.format(
        id=check.id,
        severity=check.severity.lower(),
        run="not " + alone if check.severity == "Error" else alone,
    )
    write(tests / f"{check.id}.test", firing)
    write(tests / f"{check.id}-silent.test", SILENT.format(run=alone))
    register(root, group, check)


def write(path, text):
    if path.exists():
        raise SystemExit(f"{path} exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def register(root, group, check):
    """Adds the line to Checks.def: at the end of its first rule's letter, or, if
    it covers no rule, after the last check of its group."""
    path = root / registry.CHECKS
    lines = path.read_text(encoding="utf-8").splitlines()
    new = (
        f'HLOBUF_CHECK({check.function}, "{check.id}", {check.severity}, '
        f"needs({', '.join(check.needs)}), {check.claim}, "
        f'"{" ".join(check.rules)}", "{check.summary}")'
    )
    if check.rules:
        parts = (f"// {check.rules[0][0]}: ",)
    else:
        parts = tuple(
            f"HLOBUF_CHECK({each.function}, "
            for each in registry.read_checks(root)
            if (source := each.source(root)) and source.parent.name == group
        )
    heads = [i for i, line in enumerate(lines) if parts and line.startswith(parts)]
    at = heads[0 if check.rules else -1] + 1 if heads else lines.index("#undef HLOBUF_CHECK")
    while check.rules and lines[at].strip() and not lines[at].startswith(("//", "#")):
        at += 1
    lines.insert(at, new)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def problems_of(root):
    """Where source, registry, page and tests disagree, a line each."""
    checks = registry.read_checks(root)
    tests = registry.read_tests(checks, root)
    rules = {rule for rule, _ in registry.read_rules(root)}
    problems = []
    ids = {check.id for check in checks}
    for check in checks:
        problems += problems_of_check(root, check, tests[check.id], rules, ids)
    written = [path for paths in tests.values() for path in paths]
    written += (root / registry.CHECKS).parent.rglob("*.cpp")
    written += (root / registry.PAGES).glob("*.md")
    for path in sorted(written):
        if "TODO" in path.read_text(encoding="utf-8"):
            problems.append(f"{path.relative_to(root)}: has a TODO left")
    for path in tests[None]:
        problems.append(f"{path.relative_to(root)}: named after no check")
    for path in sorted((root / registry.PAGES).glob("*.md")):
        if path.stem not in ids | {"index"}:
            problems.append(f"{path.relative_to(root)}: named after no check")
    functions = {check.function for check in checks}
    for path in sorted((root / registry.CHECKS).parent.rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        for function in re.findall(r"^void (?:\w+::)?check(\w+)\(const CheckContext", text, re.M):
            if function not in functions:
                problems.append(
                    f"{path.relative_to(root)}: check{function} is not in {registry.CHECKS}"
                )
    return problems


def problems_of_check(root, check, tests, rules, ids):
    if check.function != registry.camel_case(check.id):
        yield f"{registry.CHECKS}: {check.id} must be {registry.camel_case(check.id)}"
    instead = re.search(r'"([\w-]+)"', check.claim)
    if instead and instead[1] not in ids:
        yield f"{registry.CHECKS}: {check.id}: no check {instead[1]} that proves the same"
    for rule in check.rules:
        if rule not in rules:
            yield f"{registry.CHECKS}: {check.id}: no rule {rule} in the catalogue"

    if not check.is_row and not check.source(root):
        yield f"no source in {registry.CHECKS.parent} defines check{check.function}"

    page = root / check.page
    if not page.exists():
        yield f"{check.id} has no page {check.page}"
    else:
        words = " ".join(page.read_text(encoding="utf-8").split())
        if not words.startswith(f"# {check.id} "):
            yield f"{check.page} does not begin with '# {check.id}'"
        if check.summary.lower() not in words.lower():
            yield f"{check.page} does not say that {check.summary}"

    texts = [path.read_text(encoding="utf-8") for path in tests]
    fires = [
        bool(re.search(rf"^//\s*(?!RUN)[A-Z0-9-]+:.*\[{re.escape(check.id)}\]", text, re.M))
        for text in texts
    ]
    if True not in fires:
        yield f"{check.id} has no firing test: no test/checks/{check.id}*.test expects it"
    if False not in fires:
        yield f"{check.id} has no silent test: each test/checks/{check.id}*.test expects it"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("id", nargs="?", help="for example buffer-overlap")
    parser.add_argument("--group", choices=registry.groups(), help="folder of lib/Checks")
    parser.add_argument("--rules", default="", help="rules of the catalogue: 'D08 D09'")
    parser.add_argument("--severity", default="Error", choices=["Error", "Warning", "Lint"])
    parser.add_argument(
        "--sentence",
        default="Consistency",
        choices=list(registry.SENTENCES),
        help="of the verdict, to whose proof it belongs",
    )
    parser.add_argument("--needs", nargs="*", default=["Allocations"])
    parser.add_argument("--summary", help="else the statement of the first rule")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--root", type=pathlib.Path, default=registry.ROOT)
    options = parser.parse_args()
    if options.check == bool(options.id):
        parser.error("either an id or --check")

    if options.check:
        problems = problems_of(options.root)
        for problem in problems:
            print(problem)
        return 1 if problems else 0

    if not options.group:
        parser.error("a new check needs a --group")
    statements = dict(registry.read_rules(options.root))
    rules = tuple(options.rules.replace(",", " ").split())
    if not all(rule in statements for rule in rules):
        parser.error(f"--rules must name rules of {registry.CATALOGUE}")
    if not rules and not options.summary:
        parser.error("a check that covers no rule needs a --summary")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", options.id):
        parser.error("an id is made of lower-case words and hyphens")
    create(
        options.root,
        options.group,
        registry.Check(
            function=registry.camel_case(options.id),
            id=options.id,
            severity=options.severity,
            needs=tuple(options.needs),
            claim="none" if options.severity == "Lint" else f"part({options.sentence})",
            rules=rules,
            summary=options.summary or statements[rules[0]],
        ),
    )
    print(f"registered {options.id}; fill in every TODO, then run utils/check-index.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
