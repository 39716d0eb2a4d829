#!/usr/bin/env python3
"""Plants faults that only a dump and its module together show, and counts what is found.

Either the dump is edited in all its sections, so that it does not contradict itself:

  use-dropped         the last reader of a value reads another one; the value's range ends
                      earlier, and its bytes get a tenant
  alias-broken        a value that must share a place with another one is somewhere else
  elements-exchanged  what comes after two elements of one shape is exchanged
  phi-dropped         a phi is gone; one of its inputs has its positions and uses
  overlap             a value is moved onto another one that is live at the same time; the
                      tool only gets the allocations and the module, and has to name it and
                      one that it overlaps
  thread-local        two thread-local allocations become one; the tool only gets the
                      allocations and the module
  copy-removed        a copy that an operation in place needed is gone; the tool only gets
                      the allocations and the module

or the module's text is edited, and the dump stays:

  module-operand      another operand of the same shape
  module-type         another element type in a result's shape
  module-order        two neighboring lines exchanged
  module-index        another element of a tuple, of the same shape
  module-alias        an item of input_output_alias or output_to_operand_aliasing dropped
  module-body         conditions, bodies or branches of one signature exchanged
  module-layout       another dimension order of a fusion's parameter
  module-promise      another dimension order in entry_computation_layout
  module-control      a control predecessor that comes later

Edits without effect are not faults. All of these are left out, and it is the texts that
decide, never the tool's answer:

  * anything inside the body of a fusion, or in a computation that is never reached: no
    buffers;
  * an operand or an element that holds the same values as the one before: twin
    get-tuple-elements, a value through another name;
  * the type of an element where the instruction defines neither it nor a tuple around it:
    no line of a dump shows the shape;
  * the order of lines in a module without is_scheduled=true, in computations that are not
    in the dump's sequence, and of lines of which one names the other;
  * the alias of a parameter that is returned unchanged, that lives to the end anyway, or
    that an operation in place ties to its output as well; output_to_operand_aliasing that
    the dump's own text of the instruction does not repeat, and that of asynchronous
    operations, which the two texts print in different ways;
  * computations exchanged that are not in the sequence, or by themselves;
  * elements exchanged after which there are only get-tuple-elements that the module's
    text hides: only their names would be exchanged;
  * a phi of which another phi is made, or whose inputs are one value: another
    simplification may do without it. A loop's own phi cannot go without a contradiction;
  * overlaps with what nothing reads later but as a part of a call's tuple, or with a copy
    of it; in modules without is_scheduled=true, with tuple index tables, within one
    instruction, in memory that other colors reuse, with contexts of asynchronous operations
    on TPU, and in alternate memory of TPU unless both are read after the other one begins,
    by no conditional or custom-call, and without asynchronous computations; and all
    overlaps of a module whose allocations alone the tool does not find clean.

Ranges are recomputed for the places that an edit touches. Where the rules for that do not
give the ranges and the peak that the dump states, or where the peak would move, nothing is
planted. The memory report is left out when the dump is edited.
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

import plant_copies
import plant_flow
import plant_layout
import plant_module
import plant_places
from dump import Dump
from facts import Facts
from harness import (
    ASSIGNMENT,
    FINDING,
    REPORT,
    SIBLINGS,
    assignments,
    first_finding,
    module_of,
    option_parser,
    read,
    run_tool,
    stem_of,
    write,
)
from hlo import Module

KINDS = {
    **plant_places.KINDS,
    **plant_flow.KINDS,
    **plant_module.KINDS,
    **plant_layout.KINDS,
    **plant_copies.KINDS,
}
MODULE = plant_module.MODULE
# For these the tool only gets the allocations and the module.
ALONE = ("overlap", "thread-local", "copy-removed")
Result = collections.namedtuple(
    "Result", "stem kind what reported named crashed status finding folder"
)


def is_named(output, choices):
    """Whether one error, with its notes, names all instructions of one of these sets."""
    starts = [m.start() for m in FINDING.finditer(output)] + [len(output)]
    for begin, end in zip(starts, starts[1:]):
        words = set(re.findall(r"[A-Za-z_][\w.-]*", output[begin:end]))
        words |= {w.rstrip(".") for w in words}
        if "error: " in output[begin:end].split("\n")[0]:
            if any(words >= names for names in choices):
                return True
    return False


class Case:
    """One module: its files, and the tool's answers to edits of them."""

    def __init__(self, assignment, args):
        self.args, self.stem = args, os.path.basename(stem_of(assignment))
        stem, self.texts = stem_of(assignment), {}
        for tail in (ASSIGNMENT, *SIBLINGS, REPORT, MODULE):
            if os.path.exists(stem + tail):
                self.texts[tail] = read(stem + tail)

    def facts(self):
        module = Module(self.texts[MODULE])
        dump = Dump(
            {t: self.texts[t] for t in (ASSIGNMENT, *SIBLINGS) if t in self.texts}
        )
        return Facts(dump, module, ".cl_" in self.stem or ":T(" in self.texts[MODULE])

    def edits(self, facts, rng):
        """(kind, edit), every kind in turn, until there are enough or no more."""
        queues, count, seen = {}, 0, set()
        for kind, candidates in KINDS.items():
            if any(fnmatch.fnmatch(kind, k) for k in self.args.kinds.split(",")):
                queues[kind] = list(candidates(facts))
                rng.shuffle(queues[kind])
        # The allocations alone must be clean, too.
        alone = [kind for kind in ALONE if queues.get(kind)]
        if alone:
            files = {ASSIGNMENT: facts.dump.assignment(), MODULE: self.texts[MODULE]}
            with tempfile.TemporaryDirectory() as folder:
                if self.run(files, folder)[0] != 0:
                    for kind in alone:
                        del queues[kind]
        while queues and count < self.args.edits_per_file:
            for kind in list(queues):
                edit = None
                while queues[kind] and (edit is None or (kind, edit.what) in seen):
                    edit = queues[kind].pop()(rng)
                if edit is None or (kind, edit.what) in seen:
                    del queues[kind]
                elif count < self.args.edits_per_file:
                    seen.add((kind, edit.what))
                    count += 1
                    yield kind, edit

    def files(self, edit):
        """The texts that the tool gets."""
        if ASSIGNMENT not in edit.files:  # the dump stays as it is
            return {**self.texts, **edit.files}
        return {MODULE: self.texts[MODULE], **edit.files}

    def run(self, files, folder):
        for tail, text in files.items():
            write(os.path.join(folder, self.stem + tail), text)
        path = os.path.join(folder, self.stem + ASSIGNMENT)
        return run_tool(self.args.tool, path, self.args.timeout, self.args.checks)

    def results(self):
        """(why the module cannot be used, or None; results)"""
        if MODULE not in self.texts:
            return "no module", []
        if sum(map(len, self.texts.values())) > self.args.max_bytes:
            return "too large", []
        with tempfile.TemporaryDirectory() as folder:
            status, output = self.run(self.texts, folder)
            if status != 0:
                return f"not clean, {status}: {first_finding(output)}", []
        try:
            facts = self.facts()
        except (ValueError, AttributeError, KeyError) as error:
            return f"not understood: {error}", []
        rng = random.Random(f"{self.args.seed}/{self.stem}")
        return None, [self.result(*edit) for edit in self.edits(facts, rng)]

    def result(self, kind, edit):
        files = self.files(edit)
        with tempfile.TemporaryDirectory() as folder:
            status, output = self.run(files, folder)
        # A module that was edited may be malformed.
        reported = status == 1 or (status == 2 and "[unreadable]" in output)
        reported = reported and FINDING.search(output) is not None
        named = reported and (not edit.names or is_named(output, edit.names))
        crashed = status not in (0, 1, 2)
        kept = None
        if self.args.keep and not (named and not crashed):
            kept = tempfile.mkdtemp(prefix=f"{kind}-", dir=self.args.keep)
            self.run(files, kept)
            write(
                os.path.join(kept, "edit"),
                f"{edit.what}\n\nexit status {status}\n{output}",
            )
        verdict = reported, named, crashed, status, first_finding(output)
        return Result(self.stem, kind, edit.what, *verdict, kept)


def table(results):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for r in results:
        for kind in (r.kind, "all"):
            counts = (1, r.reported, r.named, r.crashed)
            rows[kind] = [a + b for a, b in zip(rows[kind], counts)]
    print(f"{'kind':20} {'planted':>8} {'reported':>9} {'named':>6} {'crashes':>8}")
    for kind in [*KINDS, "all"]:
        if kind in rows or kind == "all":
            planted, reported, named, crashes = rows[kind]
            shown = named if kind == "overlap" else ""
            print(f"{kind:20} {planted:8} {reported:9} {shown:>6} {crashes:8}")
    return rows["all"]


def arguments(doc, checks=None):
    parser = option_parser(doc, edits=40)
    parser.add_argument(
        "--max-bytes", type=int, default=8 << 20, help="larger modules are left out"
    )
    parser.add_argument(
        "--kinds",
        default="*",
        metavar="GLOBS",
        help="kinds, with commas: " + " ".join(KINDS),
    )
    parser.add_argument(
        "--verbose", action="store_true", help="list all that was missed"
    )
    parser.add_argument("--keep", metavar="DIR", help="put what was missed here")
    parser.add_argument("--json", help="write every edit and its result to this file")
    parser.add_argument("--fail-under", type=float, default=0, metavar="PERCENT")
    args = parser.parse_args()
    args.checks = checks
    args.tool = shutil.which(args.tool) or sys.exit(f"no program '{args.tool}'")
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    return args


def run(args):
    """Plants and counts; the exit status, or why there is nothing to count."""
    chosen = [p for p in assignments(args.paths, 0, args.seed) if module_of(p)]
    chosen = chosen[: args.max_files] if args.max_files else chosen
    results, used = [], 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, (reason, found) in zip(
            chosen, pool.map(lambda path: Case(path, args).results(), chosen)
        ):
            if reason:
                print(f"left out, {path}: {reason}")
            used += not reason
            results += found
    for r in results:
        if args.verbose and not (r.named and not r.crashed):
            verdict = (
                "CRASHED" if r.crashed else "not named" if r.reported else "MISSED"
            )
            where = f" ({r.folder})" if r.folder else ""
            print(f"{verdict}, status {r.status}: {r.kind}: {r.stem}: {r.what}{where}")
    planted, _, named, crashes = table(results)
    if args.json:
        write(args.json, json.dumps([r._asdict() for r in results], indent=1))
    if not planted:
        return "nothing was planted"
    print(
        f"{used} modules, {planted} faults: {100 * named / planted:.1f} % found, "
        f"{crashes} crashes"
    )
    return int(bool(crashes or 100 * named < args.fail_under * planted))


if __name__ == "__main__":
    sys.exit(run(arguments(__doc__)))
