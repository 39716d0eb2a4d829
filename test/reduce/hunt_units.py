"""Looks at the units of a campaign, or makes a state as older campaigns left it."""

import collections
import pathlib
import sqlite3
import sys

folder = pathlib.Path(sys.argv[1])
if sys.argv[2:] == ["--older"]:
    folder.mkdir(parents=True)
    db = sqlite3.connect(folder / "campaign.db")
    with db:
        db.execute("create table causes (cause text primary key, lane text,"
                   " program text, count integer, reduced text)")
        for row in (
            ("cpu: in-place-hazard, a-row, assignment", "random_9", 4, "reduced"),
            ("cpu: in-place-hazard, a-row, right by luck: in place", "random_7", 3, ""),
            ("cpu: crashes, nothing reported, no dump", "random_2", 1, ""),
        ):
            db.execute("insert into causes values (?, 'cpu random', ?, ?, ?)", row)
    place = folder / "gallery" / "cpu-in-place-hazard,-a-row,-assignment"
    (place / "report").mkdir(parents=True)
    program = "  %a = f32[] add(%b, %b)\n  ROOT %r = f32[1] reshape(%a)\n"
    (place / "reduced.hlo.txt").write_text(program)
    (place / "report" / "report.md").write_text("x is first there after fusion of y.")
    sys.exit()

db = sqlite3.connect(folder / "campaign.db")
programs = collections.Counter(db.execute("select lane, name from programs"))
assert set(programs.values()) == {1}, programs
by_lane = collections.defaultdict(set)
for lane, begin, end in db.execute("select lane, begin, end from units"):
    names = {f"{lane.split()[1]}_{number}" for number in range(begin, end)}
    assert all((lane, name) in programs for name in names), (lane, begin)
    by_lane[lane] |= set(range(begin, end))
for lane, numbers in by_lane.items():
    assert numbers == set(range(len(numbers))), (lane, sorted(numbers))
assert len(programs) == sum(map(len, by_lane.values()))
print("each program of each unit is there once, no unit is missing")
for name, flags in db.execute("select name, flags from programs where flags != ''"):
    print(f"{name}: {flags}")
