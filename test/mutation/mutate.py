#!/usr/bin/env python3
"""Plants one fault at a time into real dumps and counts those that are found.

A fault is a single edit: one field of one line changed, a line dropped, a line
doubled, or a line exchanged with the next one. The tool runs on a copy of the
module's files; with --with-module the HLO module's text is among them. A fault is
caught if the tool exits with 1, or with 2: a line that appears twice may be what
another process wrote, and such a file is refused. It is pointed at if an error, warning
or note is on the edited line (for a dropped line: on a neighbor; for two lines: on one
of them).

Edits without effect are not faults and are left out:
  * the text is the same afterwards (two equal lines exchanged);
  * two positions other than the first of a value, or two of its uses, are
    exchanged: their order follows pointers inside the compiler;
  * the first line of an assignment is lost: the text is not a dump then, which the
    tool says with status 2;
  * two rows of a memory report before 2025-10-27 with equal sums are exchanged:
    rows of equal size are in hash order there;
  * the heap pointer in an allocation (until 2022): an address of a process that
    is gone.
Only fields of the dump's own grammar are edited. Attributes and literals of
instruction texts (calls, kind, dimensions, ..) are only edited --with-module, and only
where the module's line of the instruction repeats them: nothing else does. Metadata,
backend_config and annotations (sharding, frontend_attributes, ..) never are.
"""

import collections
import concurrent.futures
import fnmatch
import json
import os
import random
import re
import shutil
import sys
import tempfile

from grammar import FLAGS, Text
from harness import (
    PLACE,
    REPORT,
    SIBLINGS,
    assignments,
    module_of,
    option_parser,
    read,
    run_tool,
    stem_of,
    write,
)
from hlo import attributes_of


def other_digit(text, rng):
    digits = [m.start() for m in re.finditer(r"\d", text)]
    if not digits:
        return text
    at = rng.choice(digits)
    return text[:at] + rng.choice("0123456789".replace(text[at], "")) + text[at + 1 :]


def stepped(text, rng):
    """A number one more, one less, or with another digit."""
    step = rng.choice((1, -1, 0))
    if step == 0 or not text.isdigit() or int(text) + step < 0:
        return other_digit(text, rng)
    return str(int(text) + step)


def changed_number_in(text, rng):
    numbers = list(re.finditer(r"\d+", text))
    if not numbers:
        return None
    m = rng.choice(numbers)
    return text[: m.start()] + stepped(m[0], rng) + text[m.end() :]


def misspelled(text, rng):
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("abcxyz".replace(text[at], "")) + text[at + 1 :]


def edited(f, line, names, rng):
    """The line with another content of the field."""
    begin, end = f.begin, f.end
    old = line[begin:end]
    if f.type == "flag":
        if begin >= 0:
            new = ""
        else:  # printed nowhere: goes before the end of the header or the color
            new = FLAGS[f.name]
            begin = line.find(" @") if f.name == "phi" else len(line) - 1
            end = begin
            if begin < 0:
                return line
    elif f.type == "name":
        new = rng.choice((misspelled(old, rng), rng.choice(names)))
    elif f.type == "word":
        new = misspelled(old, rng)
    elif f.type == "path":
        new = changed_number_in(old, rng) or old[0] + "0" + old[-1]
    elif f.type == "shape":
        types = list(re.finditer(r"\b[a-z]\w*(?=\[)", old))
        new = changed_number_in(old, rng)
        if types and (new is None or rng.random() < 0.2):
            m = rng.choice(types)
            new = (
                old[: m.start()] + ("f32" if m[0] == "s32" else "s32") + old[m.end() :]
            )
    elif f.type == "attribute":
        new = changed_number_in(old, rng) if rng.random() < 0.5 else None
        letters = [m.start() for m in re.finditer(r"[A-Za-z]", old)]
        if new is None and letters:
            at = rng.choice(letters)
            new = old[:at] + misspelled(old[at], rng) + old[at + 1 :]
    elif f.type == "digits":
        new = other_digit(old, rng)
    else:
        new = stepped(old, rng)
    return line if new is None else line[:begin] + new + line[end:]


def line_edits(text, i):
    """(what, new lines, numbers of the lines that should be pointed at)."""
    lines, kind = text.lines, text.kinds[i]
    if lines[i] == "BufferAssignment:":
        return
    first, last = i, i  # nothing distinguishes equal lines
    while first and lines[first - 1] == lines[i]:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1] == lines[i]:
        last += 1
    yield "dropped", lines[:i] + lines[i + 1 :], set(range(first, last + 2))
    yield "doubled", lines[: i + 1] + lines[i:], set(range(first + 1, last + 3))
    if i + 1 == len(lines) or lines[i] == lines[i + 1]:
        return
    if kind == text.kinds[i + 1] == "use":
        return
    if kind == text.kinds[i + 1] == "position" and text.kinds[i - 1] == "position":
        return
    if (
        text.is_old_report
        and kind == text.kinds[i + 1] == "report row"
        and lines[i].split(";")[:2] == lines[i + 1].split(";")[:2]
    ):
        return
    new = lines[:i] + [lines[i + 1], lines[i]] + lines[i + 2 :]
    first, last = i, i + 1
    while first and new[first - 1] == new[i]:
        first -= 1
    while last + 1 < len(new) and new[last + 1] == new[i + 1]:
        last += 1
    yield "exchanged", new, set(range(first + 1, last + 2))


Mutant = collections.namedtuple("Mutant", "path kind what line old new text expect")


def one_edit(text, i, rng):
    """A mutant of line i; nothing if the edit that was drawn has no effect."""
    kind, what, new = text.kinds[i], None, ""
    if text.fields[i] and rng.random() < 0.7:
        f = rng.choice(text.fields[i])
        kind, what = f.kind, f.name
        new = edited(f, text.lines[i], text.names, rng)
        lines, expect = text.lines[:i] + [new] + text.lines[i + 1 :], {i + 1}
    elif edits := list(line_edits(text, i)):
        what, lines, expect = rng.choice(edits)
        new = lines[i] if what == "exchanged" else ""
    if what is None or new == text.lines[i]:
        return None
    edit = (text.path, kind, what, i + 1, text.lines[i], new)
    return Mutant(*edit, text.joined(lines), expect)


def plan(texts, count, wanted, rng):
    """At most count edits, evenly over the kinds of lines that are wanted."""
    places = collections.defaultdict(list)  # kind -> [(text, line)]
    for text in texts:
        for i, kind in enumerate(text.kinds):
            if kind and fnmatch.fnmatch(kind, wanted):
                places[kind].append((text, i))
    kinds = sorted(places)
    rng.shuffle(kinds)
    seen = set()
    for number in range(count if kinds else 0):
        mutant = one_edit(*rng.choice(places[kinds[number % len(kinds)]]), rng)
        if mutant and mutant[:6] not in seen:
            seen.add(mutant[:6])
            yield mutant


class Runner:
    """Runs the tool on mutants of one module, in a folder of its own."""

    def __init__(self, args):
        self.args = args

    def run_tool(self, assignment):
        return run_tool(self.args.tool, assignment, self.args.timeout)

    def module(self, files, seed):
        """Results for one module: [(mutant, caught, pointed, crashed)]."""
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            copies = [shutil.copy(f, folder) for f in files]
            attributes = None
            if self.args.with_module:
                path = module_of(files[0])
                if not path:
                    return "no module", []
                attributes = attributes_of(read(shutil.copy(path, folder)))
            status, output = self.run_tool(copies[0])
            if status != 0:
                return "not clean: " + (PLACE.search(output) or [str(status)])[0], []
            results = []
            for mutant in plan(
                [Text(c, attributes) for c in copies],
                self.args.edits_per_file,
                self.args.kinds,
                rng,
            ):
                results.append(self.mutant(mutant, copies[0]))
            return None, results

    def mutant(self, mutant, assignment):
        backup = mutant.path + ".orig~"
        os.rename(mutant.path, backup)
        write(mutant.path, mutant.text)
        status, output = self.run_tool(assignment)
        os.rename(backup, mutant.path)
        places = {(p, int(l)) for p, l in PLACE.findall(output)}
        pointed = any((mutant.path, l) in places for l in mutant.expect)
        caught = status in (1, 2)
        return (
            mutant._replace(text="", path=os.path.basename(mutant.path)),
            caught,
            caught and pointed,
            status not in (0, 1, 2),
        )


def modules(paths, limit, seed):
    """Lists of the files of one module each, the assignment first."""
    for name in assignments(paths, limit, seed):
        siblings = [stem_of(name) + tail for tail in (*SIBLINGS, REPORT)]
        yield [name] + [s for s in siblings if s != name and os.path.exists(s)]


def table(results, out):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for mutant, *flags in results:
        for key in ((mutant.kind, mutant.what), ("all", "")):
            rows[key] = [a + b for a, b in zip(rows[key], [1] + flags)]
    print(
        f"{'line':20} {'edit':18} {'tried':>6} {'caught':>7} {'pointed':>8} {'crashed':>8}",
        file=out,
    )
    for (kind, what), (tried, caught, pointed, crashed) in sorted(
        rows.items(), key=lambda r: (r[0][0] == "all", r[0])
    ):
        print(
            f"{kind:20} {what:18} {tried:6} {caught:7} {pointed:8} {crashed:8}",
            file=out,
        )
    return rows["all", ""]


def survivors(results, out):
    for mutant, caught, pointed, crashed in results:
        if caught and pointed and not crashed:
            continue
        verdict = "CRASHED" if crashed else "not pointed at" if caught else "SURVIVED"
        print(
            f"{verdict}: {mutant.kind}, {mutant.what}: {mutant.path}:{mutant.line}\n"
            f"  - {mutant.old[:300]}\n  + {mutant.new[:300]}",
            file=out,
        )


def main():
    parser = option_parser(__doc__, edits=60)
    parser.add_argument(
        "--kinds", default="*", metavar="GLOB", help="kinds of lines that are edited"
    )
    parser.add_argument(
        "--with-module", action="store_true", help="give the module's text to the tool"
    )
    parser.add_argument("--fail-under-caught", type=float, default=0, metavar="PERCENT")
    parser.add_argument(
        "--fail-under-pointed", type=float, default=0, metavar="PERCENT"
    )
    parser.add_argument("--json", help="write every edit and its result to this file")
    args = parser.parse_args()
    args.tool = shutil.which(args.tool) or sys.exit(f"no program '{args.tool}'")

    chosen = list(modules(args.paths, args.max_files, args.seed))
    results, skipped = [], []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = pool.map(
            lambda f: Runner(args).module(f, f"{args.seed}/{os.path.basename(f[0])}"),
            chosen,
        )
        for files, (reason, found) in zip(chosen, jobs):
            if reason:
                skipped.append(f"{files[0]}: {reason}")
            results += found
    for line in skipped:
        print("left out,", line)
    survivors(results, sys.stdout)
    tried, caught, pointed, crashed = table(results, sys.stdout)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(
                [
                    dict(
                        m._replace(expect=sorted(m.expect))._asdict(),
                        caught=c,
                        pointed=p,
                        crashed=x,
                    )
                    for m, c, p, x in results
                ],
                f,
                indent=1,
                default=list,
            )
    if not tried:
        sys.exit("no edit was tried")
    print(
        f"{len(chosen) - len(skipped)} modules, {tried} edits: {100 * caught / tried:.1f} % caught, "
        f"{100 * pointed / tried:.1f} % pointed at, {crashed} crashes"
    )
    if (
        crashed
        or 100 * caught < args.fail_under_caught * tried
        or 100 * pointed < args.fail_under_pointed * tried
    ):
        sys.exit(1)


if __name__ == "__main__":
    main()
