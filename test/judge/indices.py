#!/usr/bin/env python3
"""Programs that update in place at indices that are known only at run time.

  indices.py OUT --tool hlobuf-verify --programs 0:2000
  indices.py OUT --tool hlobuf-verify          what is in OUT already, with another build

The Python has to have jax. Each program is compiled once and run for many values of its
scalars; what numpy says is right. The tool reads the dump. Where it reports a hazard, the
program is run for the values that it names, and has to be wrong there. A row is

  program  wrong of runs  verdict  class  what

Exit status 1 if a program is wrong and nothing is said, or reported and never wrong.
docs/evidence/judge.md says more.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "mutation")]

import index_runs as runs  # pylint: disable=wrong-import-position
from harness import write  # pylint: disable=wrong-import-position
from claims import key_of, named  # pylint: disable=wrong-import-position

CHECK = "in-place-hazard"
TRIED = 4  # findings of a program that are tried

# What becomes of a program, and whether it disagrees with the tool.
CLASSES = {
    "wrong, reported": False,
    "wrong, SILENT": True,
    "wrong, not checked": False,
    "wrong, another defect": False,
    "right, silent": False,
    "right, not checked": False,
    "right, reported in another order": False,
    "right, reported, wrong without optimization": False,
    "right, reported, confirmed": False,
    "right, REPORTED": True,
    "right, reported by another check": True,
    "not run": False,
}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", help="a folder for programs and what was found")
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument(
        "--programs", nargs="+", metavar="FROM:TO", help="compile and run these"
    )
    parser.add_argument("--values", type=int, default=120, help="for each program")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--batch", type=int, default=200, help="for one run of the tool"
    )
    parser.add_argument("--verbose", action="store_true", help="print every row")
    return parser.parse_args()


def names_of(o):
    found = glob.glob(os.path.join(o.out, "pool", "*", "truth.json"))
    names = (os.path.basename(os.path.dirname(path)) for path in found)
    return sorted(names, key=lambda name: int(name.rsplit("_", maxsplit=1)[1]))


def compile_programs(o):
    numbers = (range(*map(int, part.split(":"))) for part in o.programs)
    names = (f"indices_{number}" for part in numbers for number in part)
    tasks = {n: o.values for n in names if not runs.is_done(o.out, "run", n, o.values)}
    runs.in_processes(o.out, "run", tasks, o.workers)


def verdicts(o, names):
    """By program: what the tool says of its dump."""
    found, known = {}, set(names)
    for first in range(0, len(names), o.batch):
        folders = [
            runs.folder_of(o.out, name) for name in names[first : first + o.batch]
        ]
        done = subprocess.run(
            [o.tool, "--format=json", "--no-config", "--jobs=1", *folders],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode not in (0, 1, 2):
            raise RuntimeError(
                f"{o.tool} ended with {done.returncode}: {done.stderr[-500:]}"
            )
        for line in done.stdout.splitlines():
            verdict = json.loads(line)
            name = str(verdict.get("module", "")).removeprefix("jit_")
            if name in known:
                found[name] = verdict
    return found


def of_severity(verdict, *severities):
    return [f for f in verdict["findings"] if f["severity"] in severities]


def hazards(verdict):
    """The errors of the check; those that are wrong in this order first."""
    errors = [f for f in of_severity(verdict, "error") if f["check"] == CHECK]
    return sorted(errors, key=lambda f: runs.IN_ORDER in f["message"])


def tried(verdict):
    return hazards(verdict)[:TRIED]


def run_claims(o, found):
    tasks = {}
    for name, verdict in found.items():
        given = tried(verdict)
        if given and not runs.is_done(o.out, "claim", name, given):
            tasks[name] = given
    print(f"{len(tasks)} programs to run where they are said to go wrong", flush=True)
    runs.in_processes(o.out, "claim", tasks, o.workers)


def find_causes(o, names, found):
    """Whether those that are wrong and not reported are so without a fusion, too."""
    tasks = {}
    for name in names:
        values = runs.load(o.out, name, "truth.json").get("values")
        silent = name in found and not of_severity(found[name], "error")
        if values and silent and not runs.is_done(o.out, "cause", name, values):
            tasks[name] = values
    runs.in_processes(o.out, "cause", tasks, o.workers)


def reasons(verdict):
    """Why the check did not decide, without the names in it."""
    gaps = [g["reason"] for g in verdict["not_checked"] if g["check"] == CHECK]
    doubts = [f for f in of_severity(verdict, "warning") if f["check"] == CHECK]
    said = [reason.split(": ")[0] for reason in gaps]
    return sorted({*said, *(f["message"].rsplit(": ")[-1] for f in doubts)})


def class_of(truth, verdict, known, unfused):
    """(class, what is found where the hazards are said to be)"""
    if truth["status"] not in ("ran", "hangs") or verdict is None:
        return "not run", truth["status"]
    results = [known[key_of(finding)] for finding in tried(verdict)]
    wrong = truth["status"] == "hangs" or truth["wrong"] > 0 or "wrong" in results
    said = "; ".join(sorted(set(results)))
    if not of_severity(verdict, "error"):
        if wrong and unfused is True:
            return "wrong, another defect", "wrong without a fusion, too"
        kind = "not checked" if reasons(verdict) else "SILENT" if wrong else "silent"
        return f"{'wrong' if wrong else 'right'}, {kind}", "; ".join(reasons(verdict))
    if wrong:
        return "wrong, reported", said
    if not results:
        return "right, reported by another check", said
    if "wrong, plain" in results:
        return "right, reported, wrong without optimization", said
    if "right, NOT CONFIRMED" in results or "no such values" in results:
        return "right, REPORTED", said
    if runs.IN_ORDER in tried(verdict)[0]["message"]:
        return "right, reported in another order", said
    return "right, reported, confirmed", said


def spell_claims(verdict):
    return "; ".join(
        finding["message"].split(": ", 1)[-1]
        + "".join(f", {name} = {value}" for name, value in named(finding).items())
        for finding in tried(verdict)[:2]
    )


def rows_of(o, names, found):
    for name in names:
        truth, verdict = runs.load(o.out, name, "truth.json"), found.get(name)
        known = runs.load(o.out, name, "claims.json", {})
        unfused = runs.load(o.out, name, "unfused.json")
        kind, said = class_of(truth, verdict, known, unfused)
        yield {
            "name": name,
            "class": kind,
            "disagrees": CLASSES[kind],
            "wrong": truth.get("wrong"),
            "runs": truth.get("runs"),
            "values": truth.get("values"),
            "said": said,
            "claims": spell_claims(verdict) if verdict else "",
            "others": other_gaps(verdict) if verdict else [],
            "what": truth.get("what", ""),
        }


def other_gaps(verdict):
    """What other checks say about programs that they did not prove."""
    gaps = verdict["not_checked"]
    return sorted(
        f"{g['check']}: {g['reason'].split(': ')[0]}"
        for g in gaps
        if g["check"] != CHECK and g.get("class") != "not-applicable"
    )


def show(o, rows):
    classes, said, others = (collections.Counter() for _ in range(3))
    for row in rows:
        classes[row["class"]] += 1
        if "not checked" in row["class"] or row["class"].endswith("reported"):
            said[row["class"], row["said"]] += 1
        others.update(row["others"])
        if row["disagrees"] or o.verbose:
            ran = f"{row['wrong']} of {row['runs']}"
            mark = "!" if row["disagrees"] else " "
            print(f"{mark} {row['name']:14} {ran:10} {row['class']:20} {row['what']}")
            for text in filter(None, (row["said"], row["claims"])):
                print(f"    {text}")
    print("\n  count class")
    for name in CLASSES:
        if classes[name]:
            print(f"{classes[name]:7} {name}")
    for (name, reason), count in sorted(said.items()):
        print(f"{count:7}   {name}: {reason or 'no values are named'}")
    for gap, count in sorted(others.items()):
        print(f"{count:7}   another check is silent, {gap}")
    disagree = sum(row["disagrees"] for row in rows)
    undecided = sum("not checked" in row["class"] for row in rows)
    total = sum(row["runs"] or 0 for row in rows)
    print(
        f"{len(rows)} programs, {total} runs, {undecided} undecided, {disagree} disagree"
    )
    return 1 if disagree else 0


def main():
    o = options()
    if o.programs:
        compile_programs(o)
    names = names_of(o)
    found = verdicts(o, names)
    run_claims(o, found)
    find_causes(o, names, found)
    rows = list(rows_of(o, names, found))
    lines = [json.dumps(row) + "\n" for row in rows]
    write(os.path.join(o.out, "rows.jsonl"), "".join(lines))
    return show(o, rows)


if __name__ == "__main__":
    sys.exit(main())
