"""Where a finding says that a program goes wrong: as arguments, and element by element.

A note names a scalar of the compiled module and its value. It may be an argument, what
is computed from arguments, the counter of a loop, or an element of an array.
"""

import json
import random
import re

import elements
from elements import Fused
from hlo import Module
from index_scalars import choices
from machine import limits_of, result_of
from schedule import Execution, dump_of

NOTE = re.compile(r"goes wrong where (?P<name>\S+) is (?P<value>-?\d+)\b")
SAME = {"copy", "bitcast", "reshape", "optimization-barrier"}
SIZE = 40  # of an array, about: where its windows are
TRIED = 3000  # values of arguments, to find those for which others have a value


def key_of(finding):
    """One text for all that a finding says."""
    return json.dumps([finding["names"][:1], sorted(named(finding).items())])


def named(finding):
    """{name: value}, as the notes of a finding say."""
    found = {}
    for note in finding.get("notes", ()):
        match = NOTE.search(note["message"])
        if match:
            found[match["name"]] = int(match["value"])
    return found


class Origins:
    """Where the scalars of a module come from.

    A path lists the elements to take of a tuple, the first one last.
    """

    def __init__(self, module):
        self.module, self.callers = module, {}
        for x in module.by_name.values():
            for role, computation in module.callees(x):
                self.callers.setdefault(computation.name, []).append((role, x))

    def operand(self, x, number, path=()):
        given = x.operands[number]
        return self.module.by_name[given.name], path + tuple(reversed(given.path))

    def origin(self, x, path=()):
        """The instruction, and the part of it, that forwards this part of x."""
        while True:
            step = self.before(x, path)
            if step is None:
                return x, path
            x, path = step

    def before(self, x, path):
        if x.opcode == "parameter":
            return self.of_parameter(x, path)
        if x.opcode in SAME:
            return self.operand(x, 0, path)
        if x.opcode == "get-tuple-element":
            return self.operand(x, 0, path + (element(x),))
        if x.opcode == "tuple" and path:
            return self.operand(x, path[-1], path[:-1])
        if x.opcode == "while" and path:
            return self.unchanged(x, path)
        if x.opcode in ("fusion", "call"):
            return next(c for _, c in self.module.callees(x)).root, path
        return None

    def of_parameter(self, x, path):
        callers = self.callers.get(x.computation.name, [])
        if not callers or any(c is not callers[0][1] for _, c in callers):
            return None
        role, caller = callers[0]
        if role in ("body", "condition"):
            return self.unchanged(caller, path)
        if caller.opcode in ("fusion", "call"):
            return self.operand(caller, x.parameter, path)
        return None

    def unchanged(self, loop, path):
        """What a loop begins with, if its body keeps it."""
        body = self.module.body(loop)
        if not path or body.root.opcode != "tuple":
            return None
        x, inner = self.operand(body.root, path[-1], path[:-1])
        while x.opcode in SAME or x.opcode == "get-tuple-element":
            took = (element(x),) if x.opcode == "get-tuple-element" else ()
            x, inner = self.operand(x, 0, inner + took)
        if x is not body.parameters()[0] or inner != path:
            return None
        return self.operand(loop, 0, path)

    def value(self, x, path, known, memo=None):
        """The value of a scalar; None where it is not known. known: by origin."""
        x, path = self.origin(x, path)
        memo = {} if memo is None else memo
        key = x.name, path
        if key in known:
            return known[key]
        if key not in memo:
            operands = (
                [] if path else [self.operand(x, k) for k in range(len(x.operands))]
            )
            given = [self.value(*o, known, memo) for o in operands]
            memo[key] = None if path or None in given else result_of(x, given)
        return memo[key]


def element(x):
    return int(x.line[slice(*x.element())])


class Claim:
    """What one finding says."""

    def __init__(self, finding, text):
        self.module = Module(text)
        self.origins, self.arguments, self.others = Origins(self.module), {}, {}
        self.unknown = []  # names that are not in the text
        self.instruction = finding["names"][0] if finding["names"] else None
        for name, value in named(finding).items():
            x, path = self.part(name)
            if x is None:
                self.unknown.append(name)
                continue
            x, path = self.origins.origin(x, path)
            if x.opcode == "parameter" and x.computation.is_entry and not path:
                self.arguments[x.parameter] = value
            else:
                self.others[x.name, path] = value

    def part(self, name):
        """What a name like tuple#1 is; None if the text has no such name."""
        name, *path = name.split("#")
        return self.module.by_name.get(name), tuple(map(int, reversed(path)))

    def cases(self, count):
        """Values of the scalars of the program for which all that is named has its value.

        Each is {key of a scalar: value}, of the entry's parameters and of what depends
        on no argument, as counters of loops do.
        """
        entry = self.module.entry.parameters()
        scalars = [k for k, x in sorted(entry.items()) if limits_of(x.shape)]
        kinds = [limits_of(entry[k].shape)[2] for k in scalars]
        if any(not fits(v, entry[k].shape) for k, v in self.arguments.items()):
            return
        given = {(entry[k].name, ()): v for k, v in self.arguments.items()}
        seen = set()
        for values in choices(
            random.Random(0), kinds, SIZE, TRIED if self.others else 99
        ):
            known = {(entry[k].name, ()): v for k, v in zip(scalars, values)}
            known.update(given)
            key = tuple(known.values())
            if len(seen) == count or key in seen or not self.agrees(known):
                continue
            seen.add(key)
            yield known

    def agrees(self, known):
        """Whether these arguments make all others what they are said to be."""
        fixed = dict(known)
        for (name, path), value in self.others.items():
            if self.origins.value(self.module.by_name[name], path, fixed) is None:
                known[name, path] = value
        for (name, path), value in self.others.items():
            others = {key: v for key, v in known.items() if key != (name, path)}
            now = self.origins.value(self.module.by_name[name], path, others)
            if now is not None and now != value:
                return False
        return True

    def values_of(self, known):
        """The arguments of the program after the first one."""
        entry = self.module.entry.parameters()
        return [known.get((entry[k].name, ())) for k in sorted(entry)[1:]]


def fits(value, shape):
    low, high, _ = limits_of(shape)
    return low <= value <= high


elements.LIMIT = 1 << 25  # these matrices are few


class Claimed(Fused):
    """A fused computation for the values of a case."""

    def __init__(self, module, x, turn, origins, known):
        super().__init__(module, x.name, turn)
        self.x, self.origins, self.known = x, origins, known

    def leaf(self, key, shape):
        value = super().leaf(key, shape)
        if shape.size == 1 and not key[1]:
            at = self.origins.operand(self.x, key[0])
            number = self.origins.value(*at, self.known)
            value.number = value.number if number is None else number
        return value

    def scalar(self, x, operands):
        given = [o.number for o in operands]
        number = None if None in given else result_of(x, given)
        return self.draw() if number is None else number


class Confirmation(Execution):
    """Looks for hazards in place where a claim says that there is one."""

    def __init__(self, dump, claim, known):
        super().__init__(dump, claim.module)
        self.claim, self.known = claim, known

    def follow(self, x, turn):
        return Claimed(self.module, x, turn, self.claim.origins, self.known)


def is_confirmed(claim, assignment, cases):
    """Whether some element is read after another one overwrote it, in some case."""
    dump = dump_of(assignment)
    for known in cases:
        for kind, text in Confirmation(dump, claim, known).run():
            if kind == "in place" and text.startswith(claim.instruction + " on"):
                return True
    return False
