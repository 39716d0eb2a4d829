#!/usr/bin/env python3
"""Two opinions on places: moves values of dumps at random, and compares what the schedule
does on their bytes (schedule.py) with the sentence `execution` of the tool.

  oracle.py DUMPS.. --tool hlobuf-verify --edits 2000

An edit moves a value of a temp onto another one, exchanges two of one size, or takes any
place that is aligned. With --planted, edits are those of test/mutation/consistent.py and
in_place.py instead, with --fields those of mutate.py, --edits of them for each dump. The
tool gets the allocations, the positions and the module. What the judge is unsure of, and
what it cannot execute, is left out and counted. Exit status 1: one says broken, and the
other one proved.
"""

import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "mutation")]

import consistent  # pylint: disable=wrong-import-position
import mutate  # pylint: disable=wrong-import-position
import plant_reads  # pylint: disable=wrong-import-position
from harness import ASSIGNMENT, assignments, module_of, read, write  # pylint: disable=wrong-import-position
from hlo import Module  # pylint: disable=wrong-import-position
from elements import TooLarge  # pylint: disable=wrong-import-position
from schedule import OTHER_THREAD, Execution, dump_of  # pylint: disable=wrong-import-position

# What else is wrong about a place is nothing that a schedule shows.
EXECUTION = ("clobbered-read", "in-place-hazard", "sibling-overlap", "read-before-done")
MODULE_CHECKS = ("module-positions", "module-uses", "module-text", "module-layout", "module-values")
STEM = "module_0000.jit_edited.{}after_optimizations"


def move(dump, rng):
    """Another place for one value of a temp, or two; nothing if there is none."""
    temps = [a for a in dump.allocations if a.is_temp and len(a.ids) > 1 and not a.tail]
    if not temps:
        return None
    # A phi has the place of what it is made of, or the dump contradicts itself.
    members = [dump.values[i] for i in rng.choice(temps).ids]
    members = [v for v in members if v.size and not v.is_phi]
    if len(members) < 2:
        return None
    v, w = rng.sample(members, 2)
    end = max(m.offset + m.size for m in members)
    kind = rng.choice(["onto", "onto", "exchange", "anywhere"])
    if kind == "exchange" and v.size == w.size and v.offset != w.offset:
        v.offset, w.offset = w.offset, v.offset
        return f"<{v.id} {v.name}> and <{w.id} {w.name}> exchanged"
    if kind == "onto" and v.offset != w.offset and w.offset + v.size <= end:
        v.offset = w.offset
        return f"<{v.id} {v.name}> onto <{w.id} {w.name}>"
    places = [o for o in range(0, end - v.size + 1, 64) if o != v.offset]
    if not places:
        return None
    v.offset = rng.choice(places)
    return f"<{v.id} {v.name}> to {v.offset}"


def moved_text(text, dump):
    """The allocations with the places of dump."""

    def place(match):
        offset = dump.values[int(match[2])].offset
        return f"{match[1]},offset={offset})"

    return re.sub(r"(?m)^( value: <(\d+) .*\(size=\d+),offset=\d+\)", place, text)


def judge(dump, module):
    """`broken`, `proved` or `unsure`."""
    execution = Execution(dump, module)
    try:
        hazards = {kind for kind, _ in execution.run()} - {"unread"}
    except (TooLarge, KeyError, ValueError, NotImplementedError, RecursionError):
        return "unsure", ["it cannot be executed"]
    if hazards:
        return "broken", sorted(f"{kind}: {text}" for kind, text in execution.hazards)
    if execution.unsure or execution.hazards:
        return "unsure", sorted(execution.unsure) or ["a hazard that may be none"]
    return "proved", []


def verdict(tool, path):
    run = subprocess.run(
        [tool, "--no-config", "--format=json", path], capture_output=True, timeout=60, check=False
    )
    result = json.loads(run.stdout.decode(errors="replace").splitlines()[0])
    found = [f["check"] + ": " + f["message"] for f in result["findings"]]
    notes = [n for f in result["findings"] for n in f["notes"] if n.get("kind") == "also"]
    found += [n["message"].rpartition("[")[2] for n in notes]
    return result["verdict"]["execution"]["status"], found


def is_agreed(assignment, tool):
    """The tool says of the dump as it is that its execution is proved, and so does the judge,
    but for what other threads do."""
    module = module_of(assignment)
    try:
        if (
            module is None
            or "used" not in dump_of(assignment).sections  # no positions
            or verdict(tool, assignment)[0] != "proved"
        ):
            return False
        ours, why = judge(dump_of(assignment), Module(read(module)))
        return ours == "proved" or all(reason.endswith(OTHER_THREAD) for reason in why)
    except (ValueError, KeyError, IndexError, AttributeError):
        return False  # not printed back as it was, or a module that hlo.py cannot read


def moved(assignment, rng, folder):
    """What was done to the dump; its files are in folder. Nothing without an edit."""
    dump = dump_of(assignment)
    module = module_of(assignment)
    what = move(dump, rng)
    if not what or not module:
        return None
    backend = "cpu_" if ".cpu_" in assignment else "sm_9.0_gpu_" if "gpu_" in assignment else ""
    stem = os.path.join(folder, STEM.format(backend))
    write(stem + ASSIGNMENT, moved_text(read(assignment), dump))
    write(stem + ".txt", read(module))
    values = assignment.replace(ASSIGNMENT, "-buffer-assignment-values.txt")
    if os.path.exists(values):
        write(stem + "-buffer-assignment-values.txt", read(values))
    return what


def at_random(files, options):
    """(assignment, what was done to it, the folder with what came out)"""
    edits, seed = 0, options.seed * 1000003
    while edits < options.edits and files:
        seed += 1
        rng = random.Random(seed)
        assignment = rng.choice(files)
        with tempfile.TemporaryDirectory() as folder:
            try:
                what = moved(assignment, rng, folder)
            except ValueError:
                what = None
            if what:
                edits += 1
                yield assignment, what, folder
            elif seed % 50 == 0:
                files = [f for f in files if f != assignment]


def planted(files, options):
    """The same for the faults of test/mutation."""
    settings = argparse.Namespace(
        kinds="*", edits_per_file=options.edits, tool=options.tool, timeout=60, checks=None
    )
    every = {**consistent.KINDS, **plant_reads.KINDS}
    del every["thread-local"]  # the judge does not enter what is applied to elements
    consistent.KINDS.clear()
    consistent.KINDS.update(every)
    for assignment in files:
        case = consistent.Case(assignment, settings)
        try:
            facts = case.facts()
        except (ValueError, AttributeError, KeyError):
            continue
        for kind, edit in case.edits(facts, random.Random(f"{options.seed}/{case.stem}")):
            with tempfile.TemporaryDirectory() as folder:
                for tail, text in case.files(edit).items():
                    write(os.path.join(folder, case.stem + tail), text)
                yield assignment, f"{kind}: {edit.what}", folder


def of_fields(files, options):
    """The same for one field or line of a file, whatever else the edit contradicts."""
    for assignment in files:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(module_of(assignment), folder)
            (named,) = mutate.modules([assignment], 0, 1)
            texts = [mutate.Text(shutil.copy(f, folder)) for f in named]
            rng = random.Random(f"{options.seed}/{os.path.basename(assignment)}")
            for mutant in mutate.plan(texts, options.edits, "*", rng):
                if mutant.what == "constant":  # which the judge believes
                    continue
                before = read(mutant.path)
                write(mutant.path, mutant.text)
                yield assignment, f"{mutant.what}: {mutant.new or mutant.old}", folder
                write(mutant.path, before)


def opinions(folder, before, tool):
    """(the judge, the tool, what both found) of a folder, which was before once."""
    (assignment,) = assignments([folder], 0, 1)
    try:
        dump, old = dump_of(assignment), dump_of(before)
        if "used" not in dump.sections:  # a fault that is for the allocations alone
            for v in dump.values.values():
                v.positions, v.uses = old.values[v.id].positions, old.values[v.id].uses
        ours, hazards = judge(dump, Module(read(module_of(assignment))))
    except (ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
        ours, hazards = "unsure", [str(error)]
    return ours, *verdict(tool, assignment), hazards


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dumps", nargs="+")
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--planted", action="store_true", help="faults of test/mutation")
    parser.add_argument("--fields", action="store_true", help="one field or line of the dump")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the dumps of disagreements")
    options = parser.parse_args()
    files = [f for f in assignments(options.dumps, 0, 1) if is_agreed(f, options.tool)]
    counts, apart = collections.Counter(), 0
    source = planted if options.planted else of_fields if options.fields else at_random
    for assignment, what, folder in source(files, options):
        ours, theirs, found, hazards = opinions(folder, assignment, options.tool)
        if options.fields and any(not f.startswith(EXECUTION) for f in found):
            theirs = "contradicted"  # which the judge does not look for
        counts[f"judge {ours}, tool {theirs}"] += 1
        seen = theirs == "broken" and any(f.startswith(EXECUTION) for f in found)
        # The tool executes the module, and the judge has no layouts: that the dump has other
        # positions or layouts than the module is a finding of its own.
        if options.planted and any(f.startswith(MODULE_CHECKS) for f in found):
            continue
        if (ours == "broken" and theirs == "proved") or (ours == "proved" and seen):
            apart += 1
            print(f"{assignment}: {what}: judge {ours} {hazards[:2]}, tool {theirs} {found[:2]}")
            if options.keep:
                shutil.copytree(folder, os.path.join(options.keep, str(apart)))
    for key, number in sorted(counts.items()):
        print(f"{number:6} {key}")
    print(f"{sum(counts.values())} edits, {apart} disagreements")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
