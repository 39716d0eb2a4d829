"""Plants faults in the thunks of executables and counts how many a tool reports.

plant.py --tool hlobuf-verify --per-kind 20 --seed 1 FILE... plants 20 faults of each kind,
each in a random file and alone, runs the tool on the file and on the edited one, and
prints a table. A fault is

  found     if there is an error of a check thunk-* or stream-* that the file did not have
  warned    if there is only such a warning
  unshown   if the tool says that the program that runs is not shown
  harmless  if it changes nothing
  unseen    if no file says what would be right
  missed    if it is none of these

--list prints what was not found; --keep FOLDER keeps the edited files that were missed.
"""

import argparse
import collections
import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import fields
from executable import read_executable
from faults import FAULTS
from thunks import Program
from wire import Malformed

# A line of thunks that cannot be read is an error, too.
RULES = ("thunk-", "stream-", "syntax")
FAULTS.update(fields.FAULTS)


def run_tool(tool, paths):
    """The findings of each file as (check, severity, message); None: not read."""
    command = [tool, "--no-config", "--error-limit=0", "--format=json", "--jobs=1"]
    found = {}
    for begin in range(0, len(paths), 50):
        some = paths[begin : begin + 50]
        done = subprocess.run(
            [*command, *some], capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode not in (0, 1, 2):
            print(f"{tool} ends with {done.returncode} on one of {some}", file=sys.stderr)
        for line in done.stdout.splitlines():
            report = json.loads(line)
            # A program for a GPU may hold one for the host.
            rows = found.setdefault(report.get("dump", "").split("!")[0], [])
            rows += [
                (row["check"], row["severity"], row["message"])
                for row in report.get("findings", [])
            ]
            shown = report.get("verdict", {}).get("program", {})
            if shown.get("status") == "not shown":
                rows += [("thunk-reason", "not shown", why) for why in shown["because"]]
    return {path: found.get(path) for path in paths}


def of_thunks(findings, wanted):
    """The findings of the rules about thunks, as often as they are there."""
    return collections.Counter(
        (check, message)
        for check, severity, message in findings or []
        if severity == wanted and check.startswith(RULES)
    )


class Planted:
    """One edited file."""

    def __init__(self, kind, source, path, edit):
        self.kind, self.source, self.path, self.edit = kind, source, path, edit
        self.new, self.warned = collections.Counter(), collections.Counter()
        self.unshown = collections.Counter()
        self.ran = None

    def checks(self):
        return {check for check, _ in self.new}

    def outcome(self):
        if self.new:
            return "found"
        if self.warned:
            return "warned"
        if self.unshown:
            return "unshown"
        if self.edit.harmless:
            return "harmless"
        return "unseen" if self.edit.unseen else "missed"


def plant(kind, executable, rng):
    """(edit, bytes of the edited file), or None if there is no place for it."""
    function, platform = FAULTS[kind]
    if platform not in (None, executable.platform):
        return None
    program = Program(executable)
    edit = function(program, rng)
    if not edit:
        return None
    return edit, executable.with_thunks(program.root.message)


class Planter:
    """Plants faults in random files; no edited file is written twice."""

    def __init__(self, sources, folder, rng):
        self.sources, self.folder, self.rng = sources, folder, rng
        self.opened, self.written = {}, set()

    def open(self, source):
        if source not in self.opened:
            self.opened[source] = read_executable(source)
        return self.opened[source]

    def plant_some(self, kind, count):
        """So many faults of one kind, or as many as there are places for."""
        order = self.rng.sample(self.sources, len(self.sources))
        tries = max(20 * count, len(order))
        for source in itertools.islice(itertools.cycle(order), tries):
            if not count:
                return
            made = plant(kind, self.open(source), self.rng)
            digest = hashlib.sha256(made[1]).digest() if made else None
            if made and digest not in self.written:
                self.written.add(digest)
                path = os.path.join(self.folder, f"{kind}-{len(self.written)}.exe")
                with open(path, "wb") as f:
                    f.write(made[1])
                count -= 1
                yield Planted(kind, source, path, made[0])


def plant_all(kinds, sources, per_kind, rng, folder):
    """So many faults of each kind in random files."""
    planter = Planter(sources, folder, rng)
    return [row for kind in kinds for row in planter.plant_some(kind, per_kind)]


def judge(tool, planted):
    sources = sorted({row.source for row in planted})
    before = run_tool(tool, sources)
    after = run_tool(tool, [row.path for row in planted])
    for row in planted:
        old, new = before[row.source], after[row.path]
        row.new = of_thunks(new, "error") - of_thunks(old, "error")
        row.warned = of_thunks(new, "warning") - of_thunks(old, "warning")
        row.unshown = of_thunks(new, "not shown") - of_thunks(old, "not shown")


def print_table(planted):
    columns = ("found", "warned", "unshown", "harmless", "unseen", "missed")
    print(f"{'fault':24} {'planted':>8}" + "".join(f" {name:>8}" for name in columns))
    for kind in [*dict.fromkeys(row.kind for row in planted), "all"]:
        rows = [row for row in planted if kind in (row.kind, "all")]
        outcomes = collections.Counter(row.outcome() for row in rows)
        checks = collections.Counter(check for row in rows for check in row.checks())
        listed = " ".join(f"{check}:{n}" for check, n in checks.most_common())
        if kind == "all":
            listed = ""
        counts = "".join(f" {outcomes[name]:8}" for name in columns)
        print(f"{kind:24} {len(rows):8}{counts}  {listed}".rstrip())


def option_parser(doc):
    """The options that plant.py and run_edited.py have."""
    parser = argparse.ArgumentParser(description=doc.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--per-kind", type=int, default=10)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--max-files", type=int, help="so many random files")
    parser.add_argument("--kinds", help="separated by commas (default: all)")
    parser.add_argument("--keep", help="folder for the edited files that were missed")
    return parser


def parse_options():
    parser = option_parser(__doc__)
    parser.add_argument("--list", action="store_true", help="print what was not found")
    parser.add_argument("--found", action="store_true", help="print what was found")
    return parser.parse_args()


def keep(planted, folder):
    """Moves edited files to a folder that stays."""
    for row in planted if folder else []:
        os.makedirs(folder, exist_ok=True)
        shutil.move(row.path, os.path.join(folder, os.path.basename(row.path)))


def print_rows(planted, missed, found):
    for row in planted:
        outcome = row.outcome()
        if not (found if outcome == "found" else missed):
            continue
        why = row.edit.harmless or row.edit.unseen
        print(f"{outcome} {row.kind} {row.source}: {row.edit.text}", end="")
        print(f" ({why})" if why else "")
        for check, message in sorted(row.new or row.warned):
            print(f"    [{check}] {message}")


def with_thunks(paths, most=None, seed="1"):
    """The files that hold thunks; so many of them, in random order."""
    kept = []
    for path in random.Random(seed).sample(paths, len(paths)):
        if len(kept) == most:
            break
        try:
            read_executable(path)
            kept.append(path)
        except Malformed as reason:
            print(f"{path}: {reason}", file=sys.stderr)
    return kept


def main():
    o = parse_options()
    kinds = o.kinds.split(",") if o.kinds else list(FAULTS)
    sources = with_thunks(o.files, o.max_files, o.seed)
    with tempfile.TemporaryDirectory() as folder:
        planted = plant_all(kinds, sources, o.per_kind, random.Random(o.seed), folder)
        judge(o.tool, planted)
        print_rows(planted, o.list, o.found)
        keep([row for row in planted if row.outcome() == "missed"], o.keep)
    print_table(planted)
    return any(row.outcome() == "missed" for row in planted)


if __name__ == "__main__":
    sys.exit(main())
