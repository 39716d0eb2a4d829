"""Bytes, and the names of the results that can be read there."""


class Memory:
    """By allocation, the parts of it that were written: (begin, end, names)."""

    def __init__(self, parts=None):
        self.parts = parts or {}

    def copied(self):
        return Memory({a: list(parts) for a, parts in self.parts.items()})

    def cut(self, place):
        """The parts outside of a place, and inside, cut at its ends."""
        allocation, begin, size = place
        outside, inside, end = [], [], begin + size
        for b, e, names in self.parts.get(allocation, ()):
            if e <= begin or end <= b:
                outside.append((b, e, names))
                continue
            outside += [(b, begin, names)] if b < begin else []
            outside += [(end, e, names)] if end < e else []
            inside.append((max(b, begin), min(e, end), names))
        return outside, inside

    def write(self, place, name):
        outside, _ = self.cut(place)
        allocation, begin, size = place
        outside.append((begin, begin + size, frozenset([name])))
        self.parts[allocation] = outside

    def add(self, place, name):
        """The bytes that are there can be read as this, too."""
        outside, inside = self.cut(place)
        inside = [(b, e, names | {name}) for b, e, names in inside]
        self.parts[place[0]] = outside + inside

    def holds(self, place, name):
        """None, or the names that are there instead."""
        _, inside = self.cut(place)
        for _, _, names in inside:
            if name not in names:
                return names
        return None if sum(e - b for b, e, _ in inside) == place[2] else {"nothing"}

    @staticmethod
    def merged(ways):
        """What is there on every way."""
        out = Memory()
        for allocation in set().union(*(w.parts for w in ways)):
            ends = {
                x
                for w in ways
                for b, e, _ in w.parts.get(allocation, ())
                for x in (b, e)
            }
            ends, parts = sorted(ends), []
            for begin, end in zip(ends, ends[1:]):
                held = []
                for w in ways:
                    _, inside = w.cut((allocation, begin, end - begin))
                    held.append(inside[0][2] if inside else frozenset())
                names = frozenset.intersection(*held)
                if any(held):
                    parts.append((begin, end, names))
            out.parts[allocation] = parts
        return out
