"""damage.py [--runs N] [--seed S] [--tool T] DUMP-FOLDERS...: damaged dumps.

Each run takes a sound dump, damages one of its files in one of the ways below,
and verifies it. Nothing may crash or hang, and no damage may pass in silence:

* a crash is a status other than 0, 1 and 2; a hang is more than --timeout
  seconds;
* a silent pass is a dump that is reported exactly as the undamaged one: status
  `sound`, no finding, the same checks not run, no file left unused;
* it counts only where the damage changes what the dump says about buffers:
  - every byte of the assignment, the live ranges and the report, but for
    percentages and names in the tree of stack frames, addresses of the host,
    and values of equal place, size and shape that were exchanged: that is
    another assignment, and nothing in a dump may be against it;
  - of the values file every line but the texts of instructions;
  - of these texts, and of the module, what comes before the attributes of an
    instruction outside of fused computations: its name, opcode and operands,
    and its shape without layouts, which are not in all texts; not the contents
    of constants, and not the order where no schedule is printed;
  - a file that was cut off, wherever that was, but for empty lines at its end.

Prints each crash and hang with the damaged file, counts silent passes by file
and kind, and fails if there is any crash or hang, or more silent passes than
--silent allows.
"""

import argparse
import collections
import difflib
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TAILS = (
    "-buffer-assignment.txt",
    "-buffer-assignment-values.txt",
    "-live-range.txt",
    "-memory-usage-report.txt",
    ".txt",
)
WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.-]*")
NUMBER = re.compile(rb"\d+")
# The front of an instruction's text.
TEXT = re.compile(
    rb"^\s*(?:ROOT )?%?(?P<name>[\w.-]+) = (?P<shape>\(.*?\)|\S+) (?P<op>[\w-]+)\("
)
ADDRESS = re.compile(rb"0x[0-9a-f]+")


def split(data):
    return data.splitlines(keepends=True)


def cut(data, other, rng):
    return data[: rng.randrange(len(data))]


def cut_lines(data, other, rng):
    lines = split(data)
    return b"".join(lines[: rng.randrange(len(lines))])


def drop_lines(data, other, rng):
    lines = split(data)
    at = rng.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + rng.choice((1, 1, 2, 5)) :])


def repeat_line(data, other, rng):
    lines = split(data)
    line = lines[rng.randrange(len(lines))]
    lines.insert(rng.randrange(len(lines)), line)
    return b"".join(lines)


def swap_lines(data, other, rng):
    lines = split(data)
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def splice(data, other, rng):
    return data[: rng.randrange(len(data))] + other[rng.randrange(len(other)) :]


def flip_bit(data, other, rng):
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def edit(pattern, make):
    def change(data, other, rng):
        found = list(pattern.finditer(data))
        if not found:
            return data
        match = rng.choice(found)
        new = make(match.group(), rng.choice(found).group(), rng)
        return data[: match.start()] + new + data[match.end() :]

    return change


def nearby(text, other, rng):
    number = int(text)
    return b"%d" % max(0, rng.choice((number + 1, number - 1, number * 2, int(other))))


def drop_bytes(data, other, rng):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randrange(1, 40) :]


WAYS = {
    "cut": cut,
    "cut-lines": cut_lines,
    "drop-lines": drop_lines,
    "drop-bytes": drop_bytes,
    "repeat-line": repeat_line,
    "swap-lines": swap_lines,
    "splice": splice,
    "flip-bit": flip_bit,
    "edit-number": edit(NUMBER, nearby),
    "edit-name": edit(WORD, lambda text, other, rng: other),
}


def operands(text):
    """The names between the parentheses that were opened before text."""
    depth, end = 1, 0
    while end < len(text) and depth:
        depth += {40: 1, 41: -1}.get(text[end], 0)
        end += 1
    inside = re.sub(rb"/\*.*?\*/", b"", text[: end - 1])
    names = re.findall(rb"%([\w.#-]+)", inside)
    return names or [part.split(b" ")[-1] for part in inside.split(b", ")]


def fused(data):
    """The computations that fusions call, none of whose values has a buffer."""
    return set(re.findall(rb" fusion\(.*calls=%?([\w.-]+)", data))


def reduced(tail, data, timed):
    """The lines of a file without what says nothing about buffers."""
    lines, values, inside = [], [], fused(data)
    computation = b""
    for line in data.rstrip(b"\n").split(b"\n"):
        if line.startswith(b"//"):
            continue
        if tail == "-live-range.txt" and b"%, total:" in line:
            line = re.sub(rb"^.*\(|[\d.]+%", b"", line)
        line = line.removeprefix(b" from instruction:")
        if match := TEXT.match(line):
            name, shape, op = match.groups()
            shape = re.sub(rb"\{[^}]*\}", b"", shape)
            if computation not in inside:
                read = [] if op == b"constant" else operands(line[match.end() :])
                lines.append((name, shape, op, read))
            continue
        if tail == ".txt":
            if line.endswith(b"{"):
                computation = line.removeprefix(b"ENTRY ").lstrip(b"%").split(b" ")[0]
                if computation not in inside and not line.startswith(b"ENTRY"):
                    lines.append(computation)
            continue
        if line.startswith(b" value: "):
            values.append(line)
            lines.append(line.partition(b">")[2])
            continue
        lines.append(ADDRESS.sub(b"", line))
    # Without a schedule the order of a module says nothing.
    return lines + sorted(values) if timed else sorted(lines, key=repr)


def changes_meaning(tail, old, new):
    if old.rstrip(b"\n") == new.rstrip(b"\n"):
        return False
    timed = tail != ".txt" or b"is_scheduled=true" in old
    return reduced(tail, old, timed) != reduced(tail, new, timed)


class Dump:
    """The files of one dump in memory, by tail."""

    def __init__(self, assignment):
        stem = assignment.removesuffix(TAILS[0])
        self.name = os.path.basename(stem)
        self.files = {}
        for tail in TAILS:
            if os.path.exists(stem + tail):
                with open(stem + tail, "rb") as text:
                    self.files[tail] = text.read()

    def write(self, folder, tail=None, data=b""):
        os.makedirs(folder)
        for each, text in self.files.items():
            with open(os.path.join(folder, "m" + each), "wb") as out:
                out.write(data if each == tail else text)


def verify(arguments, folder):
    """The reports of all dumps below a folder; None where that failed."""
    command = [arguments.tool, "--no-config", "--jobs=1", "--format=json", folder]
    count = len(os.listdir(folder))
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=arguments.timeout * (1 + count / 20),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, "hang"
    if done.returncode not in (0, 1, 2):
        return None, f"status {done.returncode}\n{done.stderr.decode(errors='replace')}"
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return {os.path.dirname(report["dump"]): report for report in reports}, ""


def said(report):
    """All that a report says beyond numbers that every dump has."""
    return (
        report["status"],
        len(report["findings"]),
        [(gap["check"], gap["reason"]) for gap in report["not_checked"]],
        report["unused_files"],
    )


def first_change(old, new):
    for line in difflib.unified_diff(
        old.decode(errors="replace").split("\n"),
        new.decode(errors="replace").split("\n"),
        n=0,
        lineterm="",
    ):
        if not line.startswith(("---", "+++", "@@")):
            yield line[:160]


class Campaign:
    def __init__(self, arguments, dumps, scratch):
        self.arguments, self.dumps, self.scratch = arguments, dumps, scratch
        self.rng = random.Random(arguments.seed)
        self.crashes, self.runs = 0, 0
        self.silent = collections.Counter()

    def baselines(self):
        folder = os.path.join(self.scratch, "sound")
        for i, dump in enumerate(self.dumps):
            dump.write(os.path.join(folder, str(i)))
        reports, failed = verify(self.arguments, folder)
        if reports is None:
            sys.exit(failed)
        sound = [reports[os.path.join(folder, str(i))] for i in range(len(self.dumps))]
        kept = [
            (dump, said(report))
            for dump, report in zip(self.dumps, sound)
            if report["status"] == "sound" and not report["findings"]
        ]
        self.dumps = kept
        shutil.rmtree(folder)

    def damage(self):
        dump, baseline = self.rng.choice(self.dumps)
        other, _ = self.rng.choice(self.dumps)
        tail = self.rng.choice(list(dump.files))
        way = self.rng.choice(list(WAYS))
        old = dump.files[tail]
        new = WAYS[way](old, other.files.get(tail, old), self.rng)
        return dump, baseline, tail, way, new

    def batch(self, count):
        folder = os.path.join(self.scratch, "batch")
        planted = [self.damage() for _ in range(count)]
        for i, (dump, _, tail, _, new) in enumerate(planted):
            dump.write(os.path.join(folder, str(i)), tail, new)
        reports, failed = verify(self.arguments, folder)
        if reports is None and count == 1:
            self.crash(planted[0], failed)
        elif reports is None:
            self.one_by_one(folder, planted)
        else:
            for i, each in enumerate(planted):
                self.judge(each, reports.get(os.path.join(folder, str(i))))
        shutil.rmtree(folder)
        self.runs += count

    def one_by_one(self, folder, planted):
        for i, each in enumerate(planted):
            reports, failed = verify(self.arguments, os.path.join(folder, str(i)))
            if reports is None:
                self.crash(each, failed)
            else:
                self.judge(each, next(iter(reports.values()), None))

    def crash(self, planted, text):
        dump, _, tail, way, new = planted
        self.crashes += 1
        path = os.path.join(self.arguments.keep, f"crash-{self.crashes}")
        os.makedirs(self.arguments.keep, exist_ok=True)
        dump.write(path, tail, new)
        print(f"CRASH {dump.name}{tail} {way}, kept in {path}: {text}", flush=True)

    def judge(self, planted, report):
        dump, baseline, tail, way, new = planted
        # Without a report the input could not be read, which was said.
        if report is None or said(report) != baseline:
            return
        old = dump.files[tail]
        if not changes_meaning(tail, old, new):
            return
        self.silent[tail, way] += 1
        if sum(self.silent.values()) <= self.arguments.show:
            print(f"SILENT {dump.name}{tail} {way}")
            for _, line in zip(range(3), first_change(old, new)):
                print("   ", line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--largest", type=int, default=60000, help="bytes of a dump")
    parser.add_argument("--keep", default="damage-crashes")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--silent", type=int, default=0)
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    found = [
        path
        for folder in arguments.folders
        for path in sorted(glob.glob(folder + "/**/*" + TAILS[0], recursive=True))
    ]
    dumps = [Dump(path) for path in found]
    dumps = [d for d in dumps if sum(map(len, d.files.values())) <= arguments.largest]
    with tempfile.TemporaryDirectory() as scratch:
        campaign = Campaign(arguments, dumps, scratch)
        campaign.baselines()
        while campaign.runs < arguments.runs:
            campaign.batch(min(100, arguments.runs - campaign.runs))
    for (tail, way), count in sorted(campaign.silent.items()):
        print(f"silent: {count} of {way} in {tail}")
    silent = sum(campaign.silent.values())
    print(
        f"{len(campaign.dumps)} dumps, {campaign.runs} damages: "
        f"{campaign.crashes} crashes or hangs, {silent} silent"
    )
    return campaign.crashes != 0 or silent > arguments.silent


if __name__ == "__main__":
    sys.exit(main())
