"""Live ranges and the peak, as far as planting faults needs to keep them true.

Only the rules that hold for most values are here. Where they do not give what a
dump states, nothing is planted.
"""

import functools

from hlo import logical_bytes


def normalised(rows):
    """Ranges [start, end, id] of one place, cut and joined as the compiler does it."""
    rows = sorted(rows)
    for a, b in zip(rows, rows[1:]):
        b[1] = max(a[1], b[1])
        a[1] = min(a[1], b[0])
    return {number: (start, end) for start, end, number in rows}


class Ranges:
    def __init__(self, facts):
        self.facts, self.dump, self.module = facts, facts.dump, facts.module
        self.span_ends, self.explained = {}, {}

    def span_end(self, computation):
        """The step after the last one of a computation."""
        name = computation.name
        if computation is self.module.entry:
            return len(self.facts.time)
        if name not in self.span_ends:
            times = (self.facts.time.get(x.name, -1) for x in computation.instructions)
            self.span_ends[name] = max(times) + 1
        return self.span_ends[name]

    def end(self, v, positions, uses):
        """Where the range of a value ends that is held and read there; -1: unknown."""
        time = self.facts.time
        if self.facts.is_parameter(v) and not self.facts.is_donated(v):
            return len(time)
        ends = []
        for name, _ in positions:
            x = self.module.by_name.get(name)
            ends.append(
                self.span_end(x.computation) if x and x.root else time.get(name, -1)
            )
        for name, _, _ in uses:
            x = self.module.by_name.get(name)
            if x and x.opcode == "while":
                name = self.module.body(x).parameters()[0].name
            if not x or x.opcode != "call":
                ends.append(time.get(name, -1))
        return -1 if -1 in ends else max(ends, default=-1)

    def row(self, v):
        found = self.dump.range_of(v)
        return found and [found[0], self.end(v, v.positions, v.uses), v.id]

    def is_explained(self, place, members):
        """Whether these rules give the ranges that the dump states for a place."""
        if place not in self.explained:
            rows = [self.row(v) for v in members]
            self.explained[place] = None not in rows and all(
                normalised(rows)[v.id] == self.dump.range_of(v) for v in members
            )
        return self.explained[place]

    def restate(self, new, touched):
        """Writes the ranges that follow into a changed dump; False if not known.

        touched: the values whose places, positions or uses are other ones now.
        """
        ids = {v.id for v in touched}
        places = {v.place() for v in touched}
        places |= {new.values[i].place() for i in ids if i in new.values}
        for place in places:
            members = [v for v in self.dump.members(place[0]) if v.place() == place]
            if not self.is_explained(place, members):
                return False
            rows = []
            for v in new.members(place[0]):
                if v.place() == place:
                    start = self.dump.range_of(v)[0]
                    rows.append([start, self.end(v, v.positions, v.uses), v.id])
            for number, (start, end) in normalised(rows).items():
                if not 0 <= start <= end:
                    return False
                key = new.values[number].key
                if new.ranges[key][1] != end:
                    ids.add(number)
                    new.ranges[key][1] = end
        return self.is_sound(new, ids) and self.peak(new.ranges) == self.stated_peak

    def is_sound(self, new, ids):
        """Whether no two values of these and others share bytes while both live."""
        for number in ids:
            v = new.values.get(number)
            for w in new.members(v.allocation) if v and v.size else ():
                if w is v or not w.size or w.offset >= v.offset + v.size:
                    continue
                if v.offset >= w.offset + w.size:
                    continue
                one, other = new.range_of(v), new.range_of(w)
                if not one or not other:
                    return False
                gap = max(one[0], other[0]) - min(one[1], other[1])
                if gap < 0 or gap == 0 and v.place() != w.place():
                    return False
        return True

    # The moment of the peak.

    @functools.cached_property
    def stated_peak(self):
        """(moment, keys of the rows), if these rules give what the dump states."""
        found = self.peak(self.dump.ranges)
        if found:
            names = sorted(key[0] for key in found[1])
            if found[0] == self.dump.peak_moment:
                if names == sorted(name for name, *_ in self.dump.peak):
                    return found
        return "unknown"

    def peak(self, ranges):
        """(moment, keys of the rows) for these ranges; None if it cannot be known."""
        events = []
        for key, (start, end, *_) in ranges.items():
            x = self.module.by_name.get(key[0])
            charge = x and logical_bytes(x.shape)
            if charge is None:
                return None
            events += [(start, 0, charge), (end + 1, 1, -charge)]
        moment = best = now = 0
        for time, _, charge in sorted(events, key=lambda e: e[:2]):
            now += charge
            if now > best:
                moment, best = time, now
        return moment, {k for k, r in ranges.items() if r[0] <= moment <= r[1]}
