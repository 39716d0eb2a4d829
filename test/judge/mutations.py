"""Seeded changes of unoptimized modules: valid HLO that computes something else.

Loops keep their counters, since scalars are left alone, and computations that compare or
combine elements are, too.
"""

import random
import re

from hlo import Module

LARGEST = 1 << 20  # elements of a value that is updated by itself
HEADER = re.compile(
    r", (?:entry_computation_layout=\{.*?->.*?\}(?=, \w+=|$)"
    r"|allow_spmd_sharding_propagation_to_(?:output|parameters)=\{[^}]*\})"
)
REPEATED = "while call conditional sort scatter dynamic-update-slice fusion custom-call".split()


def plain(shape):
    """A shape without its layout."""
    return re.sub(r"\{[^{}]*\}|/\*.*?\*/", "", shape)


def sides(shape):
    found = re.fullmatch(r"[a-z]\w*\[([\d,]+)\]", plain(shape))
    return [int(n) for n in found[1].split(",")] if found else []


class Mutant:
    """The text of a module, with changes."""

    def __init__(self, text, name, seed):
        lines = [line.split(", metadata={")[0] for line in text.split("\n")]
        header = HEADER.sub("", lines[0])
        lines[0] = re.sub(r"^HloModule [^,]+", f"HloModule {name}", header)
        for k, line in enumerate(lines):
            if line.endswith("{") and not line.startswith((" ", "HloModule")):
                lines[k] = re.sub(r" \(.*", " {", line)
        first = next(k for k, line in enumerate(lines) if line.endswith(" {"))
        self.lines = [lines[0], ""] + lines[first:]
        self.rng, self.count, self.done = random.Random(seed), 0, []
        self.parse()

    def text(self):
        return "\n".join(self.lines)

    def parse(self):
        self.module = Module(self.text())
        able = {self.module.entry.name}
        for x in self.module.by_name.values():
            for role, c in self.module.callees(x):
                if role in ("body", "branch_computations", "true_computation") or (
                    x.opcode == "call" or role == "false_computation"
                ):
                    able.add(c.name)
        self.able = [c for c in self.module.computations.values() if c.name in able]

    def mutate(self):
        wanted = self.rng.randint(1, 4)
        for _ in range(4 * wanted):
            if len(self.done) == wanted:
                return
            change = self.rng.choice(CHANGES)
            if change(self):
                self.done.append(change.__name__)
                self.parse()

    # What changes choose from.

    def name(self):
        self.count += 1
        return f"mutant.{self.count}"

    def some(self, values):
        values = list(values)
        return self.rng.choice(values) if values else None

    def arrays(self, c, before=None):
        """Values of a computation with at least one dimension."""
        for x in c.instructions:
            if x is before:
                return
            if sides(x.shape):
                yield x

    def uses(self, c, x):
        """(instruction, operand) of a value as a whole."""
        for user in c.instructions:
            for o in user.operands:
                if o.name == x.name and not o.path:
                    yield user, o

    def put(self, x, operand, name):
        """Another operand; the operands after it in the line move."""
        line = self.lines[x.number]
        self.lines[x.number] = line[: operand.begin] + f"%{name}" + line[operand.end :]


def replace(m):
    """An operand by another value of its shape."""
    c = m.some(m.able)
    x = m.some(x for x in c.instructions if x.operands)
    operand = m.some(x.operands) if x else None
    old = m.module.by_name.get(operand.name) if operand and not operand.path else None
    if old is None or not sides(old.shape):
        return False
    same = [y for y in m.arrays(c, x) if plain(y.shape) == plain(old.shape) and y is not old]
    other = m.some(same)
    if other:
        m.put(x, operand, other.name)
    return bool(other)


def swap(m):
    """Two operands of one shape; often of the tuple that a loop goes on with."""
    c = m.some(m.able)
    roots = [c.root] if c.root.opcode == "tuple" else []
    x = m.some(roots if roots and m.rng.random() < 0.5 else c.instructions)
    by_shape = {}
    for o in x.operands:
        value = m.module.by_name.get(o.name)
        if value and not o.path and sides(value.shape):
            by_shape.setdefault(plain(value.shape), []).append(o)
    same = m.some(os for os in by_shape.values() if len(os) > 1)
    if not same:
        return False
    first, second = sorted(m.rng.sample(same, 2), key=lambda o: o.begin)
    m.put(x, second, first.name)
    m.put(x, first, second.name)
    return first.name != second.name


def output(m):
    """One more result: a value that may have been overwritten otherwise."""
    entry = m.module.entry
    root, value = entry.root, m.some(m.arrays(entry, entry.root))
    if value is None or root.opcode != "tuple" and "input_output_alias" in m.lines[0]:
        return False
    line = m.lines[root.number]
    if root.opcode == "tuple":
        end = root.shape_end - 1
        line = f"{line[:root.end]}, %{value.name}{line[root.end:]}"
        m.lines[root.number] = f"{line[:end]}, {value.shape}{line[end:]}"
        return True
    if root.shape.startswith("("):
        return False
    m.lines[root.number] = line.replace("  ROOT ", "  ", 1)
    shape = f"({root.shape}, {value.shape})"
    made = f"  ROOT %{m.name()} = {shape} tuple(%{root.name}, %{value.name})"
    m.lines.insert(root.number + 1, made)
    return True


def donate(m):
    """A parameter may, or must, become an output."""
    root, header = m.module.entry.root, m.lines[0]
    parts = [(f"{{{k}}}", o) for k, o in enumerate(root.operands)]
    outputs = {}
    for index, o in parts if root.opcode == "tuple" else []:
        value = m.module.by_name.get(o.name)
        if value and not o.path:
            outputs[index] = plain(value.shape)
    if sides(root.shape):
        outputs["{}"] = plain(root.shape)
    ways = [
        (index, number)
        for number, x in m.module.entry.parameters().items()
        for index, shape in outputs.items()
        if plain(x.shape) == shape
        and f"({number}, " not in header
        and f"{index}: (" not in header
    ]
    way = m.some(ways)
    if not way:
        return False
    kind = m.rng.choice(("may-alias", "may-alias", "must-alias"))
    entry = f"{way[0]}: ({way[1]}, {{}}, {kind})"
    if "input_output_alias={ " in header:
        m.lines[0] = header.replace("input_output_alias={ ", f"input_output_alias={{ {entry}, ")
    else:
        name, comma, rest = header.partition(", ")
        m.lines[0] = f"{name}, input_output_alias={{ {entry} }}{comma}{rest}"
    return True


def shift(m):
    """A value is updated by a slice of itself, a few rows further."""
    c = m.some(m.able)
    values = [x for x in m.arrays(c) if not x.root and sides(x.shape)[0] > 1]
    x = m.some(x for x in values if list(m.uses(c, x)))
    if x is None:
        return False
    shape = sides(x.shape)
    by, size = m.rng.randint(1, min(3, shape[0] - 1)), 1
    for side in shape:
        size *= side
    if size > LARGEST:
        return False
    users = list(m.uses(c, x))
    part, zero, start, new = (m.name() for _ in range(4))
    low, to = (0, by) if m.rng.random() < 0.5 else (by, 0)
    spans = [f"[{low}:{low + shape[0] - by}]", *(f"[0:{side}]" for side in shape[1:])]
    kind = plain(x.shape).partition("[")[0]
    rows = ",".join(map(str, [shape[0] - by, *shape[1:]]))
    at = ", ".join([f"%{start}", *[f"%{zero}"] * (len(shape) - 1)])
    some = users if m.rng.random() < 0.5 else [m.rng.choice(users)]
    for user, o in sorted(some, key=lambda use: -use[1].begin):
        m.put(user, o, new)
    m.lines[x.number + 1 : x.number + 1] = [
        f"  %{part} = {kind}[{rows}] slice(%{x.name}), slice={{{', '.join(spans)}}}",
        f"  %{zero} = s32[] constant(0)",
        f"  %{start} = s32[] constant({to})",
        f"  %{new} = {plain(x.shape)} dynamic-update-slice(%{x.name}, %{part}, {at})",
    ]
    return True


def again(m):
    """A loop, call or update is done twice; one use takes the second."""
    c = m.some(m.able)
    x = m.some(x for x in c.instructions if x.opcode in REPEATED and not x.root)
    users = list(m.uses(c, x)) if x else []
    if not users:
        return False
    name = m.name()
    user, o = m.rng.choice(users)
    m.put(user, o, name)
    line = m.lines[x.number]
    m.lines.insert(x.number + 1, re.sub(r"%?[\w.\-]+ = ", f"%{name} = ", line, count=1))
    return True


CHANGES = (replace, swap, output, donate, donate, shift, shift, again)
