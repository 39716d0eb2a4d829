"""Does a unit of work in a folder of its own, and says what it has shown."""

import collections
import json
import shutil
import subprocess
import sys
import time

from hunting.causes import cause_of
from hunting.coverage import cover
from hunting.lanes import unlabeled


def say(message):
    print(f"hunt: {time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


class Found:
    """What a unit has shown."""

    def __init__(self):
        self.programs, self.causes, self.exhibits = [], {}, {}
        self.judges, self.coverage = collections.Counter(), collections.Counter()


def verdicts(tool, folder):
    """By program, what the tool says of its dump."""
    command = [tool, "--format=json", "--no-config", "--jobs=1", folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {str(each.get("module")).removeprefix("jit_"): each for each in found}


def exhibit(row, folder):
    """The dump of a program, and what the judges say of it: by name, the bytes."""
    paths = [p for p in folder.rglob(f"*.jit_{row['name']}.*") if p.is_file()]
    files = {path.name: path.read_bytes() for path in paths}
    return {**files, "row.json": json.dumps(row, indent=1).encode()}


def gather(o, unit, folder):
    found = Found()
    rows = [json.loads(line) for line in (folder / "rows.json").read_text().splitlines()]
    verdict = verdicts(o.tool, folder)
    for row in rows:
        checks, blocks = ",".join(row["checks"]), row["what"].partition("blocks ")[2]
        flags = " ".join(filter(None, (unit.flags, blocks)))
        result = row["numbers"], checks, row["why"], row["agrees"]
        found.programs.append((unit.lane, row["name"], flags, *result))
        for block in set(filter(None, blocks.split(","))):
            found.coverage[f"block {block}"] += 1
        bad = row["numbers"] in ("wrong", "caller", "hangs", "crashes")
        bad |= "INTERNAL:" in row["numbers"]
        if bad or checks or not row["agrees"]:
            cause, judged = cause_of(row, verdict.get(row["name"]))
            cause = f"{unit.target}: {cause}"
            first, count = found.causes.get(cause, (row["name"], 0))
            found.causes[cause] = first, count + 1
            found.judges[cause, judged] += 1
            if not count:
                found.exhibits[cause] = exhibit(row, folder)
    for path in folder.rglob("*after_optimizations.txt"):
        cover(path.read_text(errors="replace"), found.coverage)
    return found


def run_unit(o, unit, folder):
    """(what was found, seconds), or None if the unit could not be judged."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    started = time.monotonic()
    with open(folder.with_suffix(".log"), "w", encoding="utf-8") as log:
        command = unit.command(o, folder)
        status = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
    if status not in (0, 1) or not (folder / "rows.json").exists():
        say(f"{unit.lane} {unit.begin}: the judge ended with {status}, see {log.name}")
        return None
    found = gather(o, unit, folder)
    shutil.rmtree(folder)
    return found, time.monotonic() - started


def reduce_one(o, campaign):
    """Reduces the first program of a cause that was not reduced; False if none is left."""
    waiting = campaign.next_to_reduce() if o.reducer else None
    if not waiting:
        return False
    cause, lane, program = waiting
    target, place = lane.split(" ")[0], campaign.place(cause)
    modules = list((place / program).glob("*.before_optimizations.txt"))
    row_file = place / program / "row.json"
    row = json.loads(row_file.read_text()) if row_file.exists() else {"checks": []}
    goal = [f"--check={','.join(row['checks'])}"] if row["checks"] else []
    one_device = unlabeled(target) == "cpu" and " sharded" not in lane
    if not goal and one_device and row.get("numbers") == "wrong":
        goal = ["--wrong-numbers"]
    outcome = "nothing to look for"
    if modules and goal and target in o.compilers:
        # Of a reduction that was killed.
        shutil.rmtree(place / "report", ignore_errors=True)
        command = [o.reducer, "-q", "-j1", f"--max-time={o.reduce_seconds}", modules[0]]
        command += [*goal, f"--target={unlabeled(target)}"]
        command += [f"--python={o.compilers[target]}", f"--report={place / 'report'}"]
        command += ["-o", place / "reduced.hlo.txt"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        last = (done.stderr.strip().splitlines() or [""])[-1]
        outcome = "reduced" if done.returncode == 0 else last[:200] or "failed"
    campaign.reduced(cause, outcome)
    say(f"{outcome}: {cause}")
    return True
