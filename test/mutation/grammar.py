"""The lines of a dump: what kind each one is, and where its fields are.

A second, lenient reading of the format, only for planting faults: it takes lines
apart by patterns and knows nothing of what they mean.
"""

import collections
import re

NAME = r"[A-Za-z_][\w.-]*"
PATH = r"\{[\d,]*\}"
TAG = (
    rf"<(?P<id>\d+) (?P<name>{NAME})(?P<index>{PATH})?(?P<phi> \(phi\))?"
    r"(?: @(?P<color>-?\d+))?>"
)
ROW = rf"    (?P<name>{NAME})(?P<index>{PATH})?"
SUM = r" *(?P<cumulative>[\d.]+[KMGTPE]?i?B)\( *(?P<percent>-?\w+)%\); *"
HEADER = (
    r"allocation (?P<number>\d+): (?:0x[0-9a-f]+, )?"
    r"size (?P<SIZE>[\w.]+)(?:, color (?P<color>-?\d+))?(?:, page (?P<page>\d+))?"
    r"(?:, parameter (?P<parameter>\d+)(?:, shape \|(?P<shape>[^|]*)\|)?"
    rf" at ShapeIndex (?P<index>{PATH}))?(?:, output shape is \|(?P<output_shape>[^|]*)\|)?"
    r"(?P<constant>, constant)?(?P<thread_local>, thread-local)?"
    r"(?P<maybe_live_out>, maybe-live-out)?(?P<preallocated_temp>, preallocated-temp)?:$"
)
FLAGS = {
    "constant": ", constant",
    "thread_local": ", thread-local",
    "maybe_live_out": ", maybe-live-out",
    "preallocated_temp": ", preallocated-temp",
    "phi": " (phi)",
}
STACK = (
    r"(?P<node>[^ │└├].*) \((?P<percent>[\d.]+)%, total: (?P<total>[\d ]+) bytes, "
    r"current: (?P<current>[\d ]+) bytes, remaining: (?P<remaining>[\d ]+) bytes\)$"
)

# (kind, pattern), the first one that fits. Groups are the fields.
ASSIGNMENT = [
    ("allocation", HEADER.replace("SIZE", "size")),
    (
        "value",
        rf" value: {TAG} \(size=(?P<size>\d+),offset=(?P<offset>\d+)\): (?P<shape>.*)$",
    ),
    ("reused heading", r" reused by buffers of a different color:$"),
    ("reused value", rf"  value: {TAG} \(color=(?P<color2>-?\d+)\)$"),
    ("total", r"Total bytes used: (?P<size>\d+)(?: \((?P<readable>[^)]+)\))?$"),
    ("use", rf"  (?P<name>{NAME}), operand (?P<operand>\d+)(?: (?P<index>{PATH}))?$"),
    ("none", r"  \(none\)$"),
    ("position", rf"  (?P<name>{NAME})(?: (?P<index>{PATH}))?$"),
    ("text", r" from instruction: ?(?P<instruction>%.*)$"),
    ("used value", rf"{TAG}$"),
    ("live header", r"HloLiveRange \(max (?P<number>\d+)\):$"),
    ("sequence", rf"    (?P<ordinal>\d+):(?P<name>{NAME})$"),
    ("range", ROW + r":(?P<start>\d+)-(?P<end>\d+)$"),
    ("peak header", r"  Live ranges at (?P<number>\d+) \(peak\):$"),
    ("peak", ROW + r": (?P<size>\d+) bytes(?: \(cumulative: (?P<sum>\d+) bytes\))?$"),
    (
        "stack header",
        r"  Stack trace breakdown for peak usage: (?P<total>[\d ]+) bytes$",
    ),
    ("stack", r"  [ │└├─]*" + STACK),
    (
        "heading",
        (
            r"BufferAssignment:$|Used values:$| positions:$| uses:$| uses are not.*"
            r"|  InstructionSequence:$|  BufferLiveRange:$"
        ),
    ),
    ("empty line", r"$"),
]
REPORT = [
    ("report total", r"Total bytes(?: used)?: (?P<size>\d+) \((?P<readable>[^)]+)\)$"),
    ("report space", r"Memory Space: (?P<name>\w+) \(color=(?P<color>-?\d+)\)$"),
    ("report header", HEADER.replace("SIZE", "readable")),
    (
        "report allocation",
        SUM + r"(?P<rest>[\w.]+); " + HEADER.replace("SIZE", "readable"),
    ),
    (
        "report row",
        r"\s*?"
        + SUM
        + r"(?P<readable>[\w.]+); *(?P<offset>\d+); *(?P<number>\d+); (?P<shape>.*)$",
    ),
    ("report rest", r"\s*The rest (?P<number>\d+) "),
    ("empty line", r"$"),
    ("report heading", r""),
]
INSTRUCTION = re.compile(
    rf"%(?P<name>{NAME}) = (?P<shape>.*?) (?P<opcode>[a-z][\w-]*)\("
)
GLUED_TAG = re.compile(rf"{TAG}$")
# How fields are edited; all others are numbers.
TYPES = {
    "name": "name",
    "index": "path",
    "shape": "shape",
    "output_shape": "shape",
    "node": "word",
    "opcode": "word",
    "percent": "digits",
    "total": "digits",
    "current": "digits",
    "remaining": "digits",
    "cumulative": "digits",
    "readable": "digits",
    "rest": "digits",
    **{flag: "flag" for flag in FLAGS},
}


def compiled(table):
    return [(kind, re.compile(pattern)) for kind, pattern in table]


ASSIGNMENT, REPORT = compiled(ASSIGNMENT), compiled(REPORT)

Field = collections.namedtuple("Field", "kind name type begin end")


def field(kind, name, begin, end):
    return Field(kind, name, TYPES.get(name, "number"), begin, end)


def fields_of(kind, match):
    for name in match.re.groupindex:
        if match.start(name) >= 0 or name in FLAGS:
            yield field(kind, name, *match.span(name))


def instruction_fields(line, match, attributes):
    """Fields of an instruction's text, and of a tag that is glued to its end.

    attributes: by instruction, the ones that the module's text repeats.
    """
    begin = match.start("instruction")
    glued = GLUED_TAG.search(line, begin)
    if glued:
        yield from fields_of("used value", glued)
    head = INSTRUCTION.match(line, begin)
    if not head:
        return
    for name in ("name", "shape", "opcode"):
        yield field("text", name, *head.span(name))
    depth, at = 1, head.end()
    while depth and at < len(line):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        at += 1
    if head["opcode"] == "parameter":
        yield field("text", "parameter", head.end(), at - 1)
    elif head["opcode"] == "constant":
        literal = line[head.end() : at - 1]
        if f"({literal})" in attributes.get(head["name"], ()):
            yield Field("attribute", "literal", "attribute", head.end(), at - 1)
    else:
        for operand in re.finditer(rf"%({NAME})", line[head.end() : at - 1]):
            yield Field(
                "text",
                "operand name",
                "name",
                head.end() + operand.start(1),
                head.end() + operand.end(1),
            )
    for text in sorted(attributes.get(head["name"], ())):
        begin = line.find(text, at)
        name, _, value = text[2:].partition("=")
        if text.startswith(", ") and begin >= 0:
            end = begin + len(text)
            yield Field("attribute", name, "attribute", end - len(value), end)


class Text:
    """The lines of one file, with their kinds and fields."""

    def __init__(self, path, attributes=None):
        self.path = path
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            self.lines = f.read().split("\n")
        self.ends_with_newline = self.lines[-1] == ""
        if self.ends_with_newline:
            self.lines.pop()
        self.is_report = path.endswith("-memory-usage-report.txt")
        self.is_old_report = (
            self.is_report
            and self.lines[:1] != []
            and self.lines[0].startswith("Total bytes used")
        )
        self.kinds = []
        self.fields = []
        for line in self.lines:
            kind, match = self.match(line)
            self.kinds.append(kind)
            if kind == "text":
                self.fields.append(
                    list(instruction_fields(line, match, attributes or {}))
                )
            else:
                self.fields.append(list(fields_of(kind, match)) if match else [])
        self.names = sorted(
            {
                line[f.begin : f.end]
                for line, fields in zip(self.lines, self.fields)
                for f in fields
                if f.type == "name"
            }
        ) or ["x"]

    def match(self, line):
        for kind, pattern in REPORT if self.is_report else ASSIGNMENT:
            match = pattern.match(line)
            if match:
                return kind, match
        return None, None  # the rest of an instruction's text after a raw newline

    def joined(self, lines):
        return "\n".join(lines) + ("\n" if self.ends_with_newline else "")
