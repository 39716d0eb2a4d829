"""The state of a campaign, in a database that changes a unit at a time."""

import shutil
import sqlite3

from hunting.causes import defect_of, folder_name, parted

SCHEMA = """
create table if not exists units (
  lane text, begin integer, end integer, seconds real, primary key (lane, begin));
create table if not exists programs (
  lane text, name text, flags text, numbers text, checks text, class text, agrees integer,
  primary key (lane, name));
create table if not exists causes (
  cause text primary key, lane text, program text, count integer, reduced text);
create table if not exists judges (
  cause text, judged text, count integer, primary key (cause, judged));
create table if not exists defects (cause text primary key, opcodes text);
create table if not exists coverage (
  target text, what text, count integer, primary key (target, what));
"""
ADD = " on conflict do update set count = count + excluded.count"


class Campaign:
    """One process has it open for writing, however many do the work."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(folder / "campaign.db", timeout=60)
        self.db.executescript(SCHEMA)
        self.merge_causes()

    def rows(self, query, *values):
        return self.db.execute(query, values).fetchall()

    def place(self, cause):
        """The folder of a cause in the gallery."""
        return self.folder / "gallery" / folder_name(cause)

    def merge_causes(self):
        """Older states have a cause for each thing that the judges say of it."""
        with self.db:
            query = "select * from causes order by reduced = 'reduced' desc"
            for cause, lane, program, count, reduced in self.rows(query):
                name, judged = parted(cause)
                if not judged:
                    continue
                self.db.execute("delete from causes where cause = ?", (cause,))
                row = name, lane, program, count, reduced
                self.db.execute("insert into causes values (?, ?, ?, ?, ?)" + ADD, row)
                row = name, judged, count
                self.db.execute("insert into judges values (?, ?, ?)" + ADD, row)
                if self.place(cause).exists() and not self.place(name).exists():
                    self.place(cause).rename(self.place(name))
                if reduced == "reduced":
                    self.note_defect(name)

    def note_defect(self, cause):
        row = (cause, defect_of(self.place(cause)))
        self.db.execute("insert or replace into defects (cause, opcodes) values (?, ?)", row)

    def holes(self, lane, first, batch, taken):
        """(begin, end) of the first programs of a lane that nobody has done or taken."""
        done = self.rows("select begin, end from units where lane = ?", lane)
        begin = min([first] + [b for b, _ in done]) if not done else min(b for b, _ in done)
        for low, high in sorted([*done, *taken]):
            if low > begin:
                return begin, min(low, begin + batch)
            begin = max(begin, high)
        return begin, begin + batch

    def coverage(self, target):
        return dict(self.rows("select what, count from coverage where target = ?", target))

    def file(self, unit, found, seconds):
        """Makes a unit count: all of it, or nothing."""
        with self.db:
            row = (unit.lane, unit.begin, unit.end, seconds)
            self.db.execute("insert into units values (?, ?, ?, ?)", row)
            for program in found.programs:
                self.db.execute("insert into programs values (?, ?, ?, ?, ?, ?, ?)", program)
            for cause, (program, count) in found.causes.items():
                row = cause, unit.lane, program, count
                if not self.rows("select 1 from causes where cause = ?", cause):
                    self.exhibit(cause, program, found.exhibits[cause])
                self.db.execute("insert into causes values (?, ?, ?, ?, '')" + ADD, row)
            for (cause, judged), count in found.judges.items():
                row = cause, judged, count
                self.db.execute("insert into judges values (?, ?, ?)" + ADD, row)
            for what, count in found.coverage.items():
                row = unit.target, what, count
                self.db.execute("insert into coverage values (?, ?, ?)" + ADD, row)

    def exhibit(self, cause, program, files):
        """Puts the first program of a cause into the gallery. What is there is of a unit
        that does not count: its process was killed before."""
        place = self.place(cause)
        shutil.rmtree(place, ignore_errors=True)
        (place / program).mkdir(parents=True)
        for name, content in files.items():
            (place / program / name).write_bytes(content)

    def next_to_reduce(self):
        query = "select cause, lane, program from causes where reduced = '' limit 1"
        return (self.rows(query) or [None])[0]

    def reduced(self, cause, outcome):
        with self.db:
            query = "update causes set reduced = ? where cause = ?"
            self.db.execute(query, (outcome, cause))
            if outcome == "reduced":
                self.note_defect(cause)
