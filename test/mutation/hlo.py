"""The text of an HLO module: its computations, and where the parts of a line are.

Lenient, like grammar.py, and only for planting faults: it finds names, shapes,
operands and called computations, and knows nothing of what opcodes mean.
"""

import dataclasses
import re

from grammar import NAME

START = re.compile(rf"(?:  (?P<root>ROOT )?)?%?(?P<name>{NAME}) = ")
COMPUTATION = re.compile(
    rf"(?P<entry>ENTRY )?%?(?P<name>{NAME}) (?:\(.*\) -> .* )?\{{$"
)
ARRAY = re.compile(r"(?P<type>[a-z]\w*)\[(?P<dims>[^\]]*)\]")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][(){},]')  # strings have no brackets
DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
BLANK = re.compile(r"(?:\s|/\*.*?\*/)*")
OPCODE = re.compile(r" ([a-z][\w-]*)\(")
OPERAND = re.compile(rf"%?(?P<name>{NAME})(?P<path>(?:#\d+)*)$")
CALLED = re.compile(
    rf", (?P<role>calls|to_apply|condition|body|true_computation|false_computation"
    rf"|select|scatter|branch_computations|called_computations)="
    rf"(?P<names>\{{[^}}]*\}}|%?{NAME}(?:, %{NAME}(?![\w.=-]))*)"
)
ALIAS = re.compile(
    r"\{(?P<output>[\d, ]*)\}: \((?P<number>\d+), \{(?P<index>[\d, ]*)\}(?:, [\w-]+)?\)"
)
ANNOTATIONS = (", sharding=", ", frontend_attributes=", ", origin=", ", statistics=")
BITS = {"pred": 8, "token": 0, "opaque": 64, "c64": 64, "c128": 128, "bf16": 16}


def index_of(text):
    """{1,0} or 1,0 or nothing, as a tuple."""
    return tuple(int(n) for n in re.findall(r"\d+", text or ""))


def closing(text, at):
    """The place of the bracket that closes the one at this place."""
    depth = 0
    for token in TOKEN.finditer(text, at):
        depth += DEPTH.get(token[0], 0)
        if depth == 0:
            return token.start()
    raise ValueError("unbalanced")


def pieces(text, begin, end):
    """The spans between the commas of this level, without blanks and comments."""
    depth, first = 0, begin
    for token in TOKEN.finditer(text, begin, end):
        depth += DEPTH.get(token[0], 0)
        if token[0] == "," and depth == 0:
            yield from piece(text, first, token.start())
            first = token.end()
    yield from piece(text, first, end)


def piece(text, begin, end):
    begin = BLANK.match(text, begin, end).end()
    if begin < end:
        yield begin, end


def shape_nodes(text, at=0, index=()):
    """All (index, begin, end) of a shape in pre-order."""
    if text[at] == "(":
        end = closing(text, at) + 1
        yield index, at, end
        for number, (begin, _) in enumerate(pieces(text, at + 1, end - 1)):
            yield from shape_nodes(text, begin, index + (number,))
        return
    if text.startswith("b(", at):
        yield index, at, closing(text, at + 1) + 1
        return
    array = ARRAY.match(text, at)
    if not array:
        raise ValueError("no shape")
    end = array.end()
    if text[end : end + 1] == "{":
        end = closing(text, end) + 1
    yield index, at, end


def subshapes(text):
    """The text of every node of a shape, by index, without comments."""
    return {
        index: re.sub(r"/\*.*?\*/", "", text[begin:end])
        for index, begin, end in shape_nodes(text)
    }


def is_array(shape):
    return shape is not None and not shape.startswith(("(", "b(", "token", "opaque"))


def logical_bytes(shape):
    """Bytes of a shape without tiles; of a tuple, of its table. None if unbounded."""
    if shape.startswith("("):
        return 8 * sum(len(index) == 1 for index, _, _ in shape_nodes(shape))
    array = ARRAY.search(shape)
    count = 1
    for dim in filter(None, array["dims"].split(",")):
        if "?" in dim:
            return None
        count *= int(dim.strip().removeprefix("<="))
    element = re.search(r"E\((\d+)\)", shape)
    if element:
        return (count * int(element[1]) + 7) // 8
    bits = BITS.get(array["type"]) or int((re.findall(r"\d+", array["type"]) or [0])[0])
    return 0 if array["type"] == "token" else count * ((bits + 7) // 8)


@dataclasses.dataclass
class Operand:
    name: str
    path: tuple  # of get-tuple-elements that the text leaves out: %x#1#0
    begin: int
    end: int


class Instruction:
    """The first line of an instruction's text; places are columns in it."""

    def __init__(self, line, computation=None, number=None):
        match = START.match(line)
        if not match:
            raise ValueError("no instruction")
        self.line, self.number, self.computation = line, number, computation
        self.name, self.root = match["name"], bool(match["root"])
        nodes = list(shape_nodes(line, match.end()))
        self.shape_begin, self.shape_end = nodes[0][1:]
        self.shape = line[self.shape_begin : self.shape_end]
        self.nodes = nodes
        opcode = OPCODE.match(line, self.shape_end)
        if not opcode:
            raise ValueError("no opcode")
        self.opcode = opcode[1]
        self.begin, self.end = opcode.end(), closing(line, opcode.end() - 1)
        self.operands = []
        if self.opcode not in ("parameter", "constant"):
            for begin, end in pieces(line, self.begin, self.end):
                operand = OPERAND.search(line, begin, end)
                if operand:
                    path = index_of(operand["path"])
                    place = (operand.start(), end)
                    self.operands.append(Operand(operand["name"], path, *place))

    @property
    def parameter(self):
        return (
            int(self.line[self.begin : self.end])
            if self.opcode == "parameter"
            else None
        )

    def attributes_end(self):
        ends = [
            self.line.find(cut, self.end)
            for cut in (", metadata={", ", backend_config=")
        ]
        return min([e for e in ends if e >= 0] + [len(self.line)])

    def called(self):
        """(role, name, begin, end) of the computations that it calls."""
        for match in CALLED.finditer(self.line, self.end, self.attributes_end()):
            for name in re.finditer(NAME, match["names"]):
                begin = match.start("names") + name.start()
                yield match["role"], name[0], begin, begin + len(name[0])

    def element(self):
        """The span of the number of a get-tuple-element."""
        match = re.compile(r", index=(\d+)").search(self.line, self.end)
        return match.span(1) if match else None

    @property
    def declares_aliasing(self):
        return "output_to_operand_aliasing" in self.line

    def aliases(self):
        """(output, operand, index in it, begin, end) of output_to_operand_aliasing."""
        at = self.line.find(
            ", output_to_operand_aliasing={", self.end, self.attributes_end()
        )
        if at >= 0:
            yield from alias_items(self.line, self.line.index("{", at))


def alias_items(text, brace):
    for match in ALIAS.finditer(text, brace + 1, closing(text, brace)):
        output, index = index_of(match["output"]), index_of(match["index"])
        yield output, int(match["number"]), index, match.start(), match.end()


class Computation:
    def __init__(self, name, is_entry):
        self.name, self.is_entry, self.instructions = name, is_entry, []

    @property
    def root(self):
        return next((x for x in self.instructions if x.root), self.instructions[-1])

    def parameters(self):
        return {x.parameter: x for x in self.instructions if x.opcode == "parameter"}

    def signature(self):
        shapes = [
            re.sub(r"/\*.*?\*/", "", x.shape)
            for _, x in sorted(self.parameters().items())
        ]
        return shapes, re.sub(r"/\*.*?\*/", "", self.root.shape)


class Module:
    """Computations by name; raises ValueError if the text is not understood."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.head = self.lines[0]
        if not self.head.startswith("HloModule ") or "origin_recovery_table" in text:
            raise ValueError("not a plain HLO module")
        self.is_scheduled = "is_scheduled=true" in self.head
        self.computations, self.by_name, self.entry = {}, {}, None
        now = None
        for number, line in enumerate(self.lines):
            if now is None:
                match = COMPUTATION.match(line)
                if match:
                    now = Computation(match["name"], bool(match["entry"]))
                    self.computations[now.name] = now
            elif line.startswith("}"):
                now = None
            elif line.startswith("  ") and START.match(line):
                x = Instruction(line, now, number)
                now.instructions.append(x)
                if x.name in self.by_name:
                    raise ValueError("a name twice")
                self.by_name[x.name] = x
        for c in self.computations.values():
            if not c.instructions:
                raise ValueError("an empty computation")
            if c.is_entry:
                self.entry = c
        if self.entry is None:
            raise ValueError("no entry computation")
        self.is_compact = any(o.path for x in self.by_name.values() for o in x.operands)
        self.buffered = self.with_buffers()

    def callees(self, x):
        for role, name, _, _ in x.called():
            if name in self.computations:
                yield role, self.computations[name]

    def body(self, x):
        """The computation that a loop repeats."""
        return next(c for role, c in self.callees(x) if role == "body")

    def with_buffers(self):
        """Names of the computations that are reached, and not as the body of a fusion."""
        seen, fused, work = {self.entry.name}, set(), [self.entry]
        while work:
            for x in work.pop().instructions:
                for _, c in self.callees(x):
                    if x.opcode.startswith("fusion"):
                        fused.add(c.name)
                    if c.name not in seen:
                        seen.add(c.name)
                        work.append(c)
        return seen - fused

    def donations(self):
        """(output, parameter, index in it, begin, end) of input_output_alias."""
        at = self.head.find("input_output_alias={")
        if at >= 0:
            yield from alias_items(self.head, self.head.index("{", at))

    def with_lines(self, changed):
        """The text with other lines at some places (by number, from 0)."""
        return "\n".join(changed.get(i, line) for i, line in enumerate(self.lines))


def attributes_of(text):
    """By instruction: its attributes, as ", key=value", and a constant's "(literal)".

    Without metadata and backend_config, which the compiler prints in another way in a
    dump, and without what only annotates.
    """
    try:
        module = Module(text)
    except ValueError:
        return {}
    found = {}
    for x in module.by_name.values():
        end = x.attributes_end()
        spans = pieces(x.line, x.end + 1, end)
        parts = {", " + x.line[begin:stop] for begin, stop in spans}
        if x.opcode == "constant":
            parts.add(f"({x.line[x.begin : x.end]})")
        found[x.name] = {p for p in parts if "=" in p or p[0] == "("}
        found[x.name] -= {p for p in parts if p.startswith(ANNOTATIONS)}
    return found
