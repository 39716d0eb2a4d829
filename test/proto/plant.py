"""plant.py [--seed N] [--modules N] [--list FIELD] FOLDER...: single faults in protos.

Changes one number in each kind of field that the model reads, in each of N sound protos
(`*.hlo.pb`) of the folders, and counts how many hlobuf-verify reports. A fault has no
effect where the texts that the proto becomes are the same as before.

Each number becomes one of: itself plus one, itself minus one, another number of the same
field of the same module, a number that is nowhere. A flag is inverted.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from protos import join  # it knows where the other one is
from wire import read_fields, read_varints, varint

ASSIGNED = (3, 3, 9)
INSTRUCTION = (1, 3, 2)
SHAPE = (*INSTRUCTION, 3)
FIELDS = {
    "allocation.index": (3, 3, 1),
    "allocation.size": (3, 3, 2),
    "allocation.thread_local": (3, 3, 3),
    "allocation.is_parameter": (3, 3, 5),
    "allocation.parameter": (3, 3, 6),
    "allocation.parameter_index": (3, 3, 10),
    "allocation.maybe_live_out": (3, 3, 7),
    "allocation.color": (3, 3, 8),
    "allocation.constant": (3, 3, 12),
    "assigned.buffer": (*ASSIGNED, 1),
    "assigned.offset": (*ASSIGNED, 2),
    "assigned.size": (*ASSIGNED, 3),
    "buffer.id": (3, 1, 1),
    "buffer.size": (3, 1, 2),
    "buffer.color": (3, 1, 4),
    "buffer.instruction": (3, 1, 3, 4),
    "buffer.index": (3, 1, 3, 3),
    "alias.buffer": (3, 2, 1),
    "alias.instruction": (3, 2, 2, 4),
    "alias.index": (3, 2, 2, 3),
    "trace.allocation": (3, 4, 3),
    "trace.kind": (3, 4, 1, 1),
    "trace.buffer": (3, 4, 1, 2),
    "trace.shares": (3, 4, 1, 5),
    "peak.allocation": (3, 5, 1),
    "peak.buffer": (3, 5, 2),
    "computation.id": (1, 3, 5),
    "computation.root": (1, 3, 6),
    "module.entry": (1, 6),
    "schedule.computation": (1, 7, 1, 1),
    "schedule.instruction": (1, 7, 1, 2, 1),
    "donation.output": (1, 8, 1, 1),
    "donation.parameter": (1, 8, 1, 2),
    "donation.index": (1, 8, 1, 3),
    "program.dimension": (1, 4, 1, 3),
    "instruction.id": (*INSTRUCTION, 35),
    "instruction.operand": (*INSTRUCTION, 36),
    "instruction.called": (*INSTRUCTION, 38),
    "instruction.predecessor": (*INSTRUCTION, 37),
    "instruction.tuple_index": (*INSTRUCTION, 13),
    "instruction.parameter": (*INSTRUCTION, 9),
    "shape.type": (*SHAPE, 2),
    "shape.dimension": (*SHAPE, 3),
    "shape.layout": (*SHAPE, 5, 1),
    "shape.memory_space": (*SHAPE, 5, 8),
    "shape.part.dimension": (*SHAPE, 4, 3),
}
FLAGS = {"allocation.thread_local", "allocation.is_parameter", "allocation.maybe_live_out"}
FLAGS |= {"allocation.constant"}
NOWHERE = 7_654_321


def numbers_at(data, path):
    """All numbers at `path`, in their order."""
    for number, kind, value in read_fields(data):
        if number != path[0]:
            continue
        if len(path) > 1:
            if kind == 2:
                yield from numbers_at(value, path[1:])
        elif kind == 0:
            yield value
        elif kind == 2:
            yield from read_varints(value)


def replaced(data, path, which, new):
    """`data` with number `which` of those at `path` changed, and how many there were."""
    parts, seen = read_fields(data), 0
    for i, (number, kind, value) in enumerate(parts):
        if number != path[0] or seen > which:
            continue
        if len(path) > 1:
            if kind == 2:
                inner, count = replaced(value, path[1:], which - seen, new)
                if seen <= which < seen + count:
                    parts[i] = (number, kind, inner)
                seen += count
        elif kind == 0:
            if seen == which:
                parts[i] = (number, kind, new)
            seen += 1
        elif kind == 2:
            own = read_varints(value)
            if seen <= which < seen + len(own):
                own[which - seen] = new
                parts[i] = (number, kind, b"".join(varint(n) for n in own))
            seen += len(own)
    return join(parts), seen


def fault(data, name, chance):
    """A changed copy, and what was done; None where the proto has no such field."""
    path = FIELDS[name]
    known = list(numbers_at(data, path))
    if not known:
        return None
    which = chance.randrange(len(known))
    old = known[which]
    choices = [1 - old] if name in FLAGS else [old + 1, abs(old - 1), chance.choice(known), NOWHERE]
    new = chance.choice([n for n in choices if n != old])
    return replaced(data, path, which, new)[0], f"{name}[{which}]: {old} -> {new}"


def run(*arguments):
    command = [os.environ.get("HLOBUF_VERIFY", "hlobuf-verify"), *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def texts(path):
    """What the proto becomes."""
    kinds = "dump", "module", "traces"
    return b"".join(run(f"--emit={kind}", str(path)).stdout for kind in kinds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", type=int, default=100)
    parser.add_argument("--list", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = [f for folder in options.folders for f in sorted(Path(folder).rglob("*.hlo.pb"))]
    files = [f for f in files if "before_opt" not in f.name and "after_codegen" not in f.name]
    files = [f for f in files if f.stat().st_size < 200_000]
    chance.shuffle(files)
    total, found, idle = collections.Counter(), collections.Counter(), collections.Counter()
    crashes = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files[: options.modules]:
            if run("-q", "--no-config", str(file)).returncode != 0:
                continue  # every fault would seem to be found
            data = file.read_bytes()
            scratch = Path(folder) / file.name
            before = None
            for name in FIELDS:
                if options.only and name not in options.only:
                    continue
                planted = fault(data, name, chance)
                if not planted:
                    continue
                scratch.write_bytes(planted[0])
                done = run("-q", "--no-config", str(scratch))
                crashes += done.returncode not in (0, 1, 2)
                reported = done.returncode != 0 or b"warning" in done.stdout
                if not reported:
                    changed = texts(scratch)
                    scratch.write_bytes(data)
                    before = before or texts(scratch)
                    if changed == before:
                        idle[name] += 1
                        continue
                    if name in options.list or "all" in options.list:
                        print(file, planted[1])
                total[name] += 1
                found[name] += reported
    for name in FIELDS:
        if total[name] or idle[name]:
            print(f"{name:26} {found[name]:4} of {total[name]:4}, {idle[name]} without effect")
    print(f"{sum(found.values())} of {sum(total.values())} reported, crashes: {crashes}")


if __name__ == "__main__":
    main()
