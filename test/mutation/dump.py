"""A dump as data that can be changed and printed again, for planting faults.

Reads the forms since September 2019. A file whose text does not come back byte for
byte is not read: ValueError.
"""

import bisect
import pickle
import re

from grammar import ASSIGNMENT, GLUED_TAG
from hlo import index_of

PATTERN = dict(ASSIGNMENT)
PLACED = re.compile(
    r", (?:parameter|output shape|constant|thread-local|maybe-live-out)\b"
)


class Value:
    """A value of the dump; places in text are kept as text ({0}, or nothing)."""

    def __init__(self, match):
        self.id, self.name, self.index = int(match["id"]), match["name"], match["index"]
        self.is_phi, self.color = bool(match["phi"]), match["color"]
        self.allocation = self.size = self.offset = self.shape = None
        self.positions, self.uses = [], []  # (name, index), (name, operand, index)
        self.text = self.has_none = self.has_block = None

    @property
    def key(self):
        return self.name, index_of(self.index)

    def tag(self):
        phi = " (phi)" if self.is_phi else ""
        color = "" if self.color is None else f" @{self.color}"
        return f"<{self.id} {self.name}{self.index or ''}{phi}{color}>"

    def place(self):
        return self.allocation, self.offset, self.size

    def line(self):
        where = f"(size={self.size},offset={self.offset})"
        return f" value: {self.tag()} {where}: {self.shape}"

    def block(self):
        lines = [self.tag(), " positions:"]
        lines += [f"  {n} {i}" if i else f"  {n}" for n, i in self.positions]
        lines.append(" uses:")
        for name, operand, index in self.uses:
            lines.append(
                f"  {name}, operand {operand}" + (f" {index}" if index else "")
            )
        if not self.uses and self.has_none:
            lines.append("  (none)")
        return lines + ([] if self.text is None else self.text)


class Allocation:
    def __init__(self, line, match):
        self.line, self.number, self.size = (
            line,
            int(match["number"]),
            int(match["size"]),
        )
        self.color = int(match["color"] or 0)
        bare = re.sub(r"\|[^|]*\|", "", line)
        self.is_temp = PLACED.search(bare) is None
        self.is_live_out = ", maybe-live-out" in bare
        self.parameter = match["parameter"] and (
            int(match["parameter"]),
            index_of(match["index"]),
        )
        self.ids, self.tail = [], []  # tail: what is reused by other colors

    @staticmethod
    def top(values, without=None):
        return max((v.offset + v.size for v in values if v is not without), default=0)


class Dump:
    """texts: the text of every file by its tail, the assignment's first."""

    def __init__(self, texts):
        self.values, self.allocations, self.files = {}, [], {}
        self.sequence, self.ranges, self.peak, self.peak_moment = [], {}, [], None
        self.is_glued = self.has_sequence = False
        self.sections = set()
        for tail, text in texts.items():
            self.files[tail] = list(self.read(text.split("\n")))
        for tail, text in texts.items():
            if self.text(tail) != text:
                raise ValueError("not printed back as it was")
        if len(set(self.sequence)) < len(self.sequence):
            raise ValueError("a name twice in the sequence")
        if {"used", "ranges"} - self.sections:
            self.has_sequence = False

    # Reading: every file becomes a list of lines and of names of sections.

    def read(self, lines):
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            yield line
            section = {
                "BufferAssignment:": self.read_allocations,
                "Used values:": self.read_used,
                "  InstructionSequence:": self.read_sequence,
                "  BufferLiveRange:": self.read_ranges,
            }.get(line)
            if line.startswith("  Live ranges at "):
                self.peak_moment = int(re.search(r"\d+", line)[0])
                section = self.read_peak
            if section:
                at = section(lines, at)
                name = section.__name__.removeprefix("read_")
                self.sections.add(name)
                yield (name,)

    def read_allocations(self, lines, at):
        while at < len(lines):
            line = lines[at]
            header = PATTERN["allocation"].match(line)
            value = not header and PATTERN["value"].match(line)
            if header:
                self.allocations.append(Allocation(line, header))
            elif value:
                v = Value(value)
                v.allocation, v.shape = len(self.allocations) - 1, value["shape"]
                v.size, v.offset = int(value["size"]), int(value["offset"])
                if v.id in self.values:
                    raise ValueError("an id twice")
                self.values[v.id] = v
                self.allocations[-1].ids.append(v.id)
            elif re.match(r" reused by buffers|  value: ", line):
                self.allocations[-1].tail.append(line)
            else:
                break
            at += 1
        return at

    def read_used(self, lines, at):
        v = into = None
        while at < len(lines) and not lines[at].startswith("HloLiveRange"):
            line = lines[at]
            tag = None
            if line.startswith(" from instruction:"):
                tag = GLUED_TAG.search(line)
                if tag:
                    self.is_glued = True
                    line = line[: tag.start()]
                v.text, into = [line], v.text
            elif line == " positions:":
                into = v.positions
            elif line == " uses:":
                into = v.uses
            elif line == "  (none)" and into is v.uses:
                v.has_none = True
            elif PATTERN["used value"].match(line):
                tag = PATTERN["used value"].match(line)
            elif v and into is v.positions:
                match = PATTERN["position"].match(line)
                into.append((match["name"], match["index"]))
            elif v and into is v.uses and (match := PATTERN["use"].match(line)):
                into.append((match["name"], match["operand"], match["index"]))
            elif line == "" and not any(
                PATTERN["used value"].match(l) for l in lines[at : at + 4]
            ):
                break
            else:
                v.text.append(line)  # after a raw newline in an attribute
            if tag:
                v = self.values[int(tag["id"])]
                v.has_block, into = True, None
            at += 1
        return at

    def read_sequence(self, lines, at):
        while match := PATTERN["sequence"].match(lines[at]):
            self.sequence.append(match["name"])
            at += 1
        self.has_sequence = bool(self.sequence)
        return at

    def read_ranges(self, lines, at):
        while at < len(lines) and (match := PATTERN["range"].match(lines[at])):
            key = match["name"], index_of(match["index"])
            self.ranges[key] = [int(match["start"]), int(match["end"]), match["index"]]
            at += 1
        return at

    def read_peak(self, lines, at):
        while at < len(lines) and (match := PATTERN["peak"].match(lines[at])):
            self.peak.append((match["name"], match["index"], lines[at]))
            at += 1
        return at

    # Printing.

    def text(self, tail):
        lines = []
        for item in self.files[tail]:
            if isinstance(item, tuple):
                lines += getattr(self, "print_" + item[0])()
            else:
                lines.append(item)
        return "\n".join(lines)

    def assignment(self):
        """The allocations alone."""
        return "\n".join(["BufferAssignment:", *self.print_allocations(), ""])

    def print_allocations(self):
        for a in self.allocations:
            yield a.line
            for number in a.ids:
                yield self.values[number].line()
            yield from a.tail

    def print_used(self):
        lines = []
        for number in sorted(i for i, v in self.values.items() if v.has_block):
            block = self.values[number].block()
            if self.is_glued and lines:
                lines[-1] += block.pop(0)
            lines += block
        return lines

    def print_sequence(self):
        return [f"    {i}:{name}" for i, name in enumerate(self.sequence)]

    def print_ranges(self):
        return [
            f"    {name}{index}:{start}-{end}"
            for (name, _), (start, end, index) in self.ranges.items()
        ]

    def print_peak(self):
        return [line for *_, line in self.peak]

    # What edits need.

    def clone(self):
        return pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))

    def members(self, allocation):
        return [self.values[i] for i in self.allocations[allocation].ids]

    def range_of(self, v):
        found = self.ranges.get(v.key)
        return (found[0], found[1]) if found else None

    def move(self, v, allocation, offset):
        """Puts a value to another place."""
        if v.allocation != allocation:
            self.allocations[v.allocation].ids.remove(v.id)
            bisect.insort(self.allocations[allocation].ids, v.id)
        v.allocation, v.offset = allocation, offset

    def remove(self, v):
        self.allocations[v.allocation].ids.remove(v.id)
        del self.values[v.id]
        self.ranges.pop(v.key, None)

    def says_none(self):
        """Whether a value without uses prints (none); None if the dump does not tell."""
        for v in self.values.values():
            if v.has_block and not v.uses:
                return bool(v.has_none)
        if any(", page " in a.line for a in self.allocations):
            return True
        return None
