"""The values for which a finding says that a program goes wrong, as its arguments.

A note names a scalar of the compiled module and its value. It may be an argument, an
argument that was handed to a computation or a loop, or something else: the counter of a
loop, an element of an array, or the result of what the tool takes as it is.
"""

import re

from hlo import Module

NOTE = re.compile(r"goes wrong where (?P<name>\S+) is (?P<value>-?\d+)\b")
SAME = {"copy", "bitcast", "reshape", "optimization-barrier"}


def named(finding):
    """(name, line of the module, value), as the notes of a finding say."""
    for note in finding.get("notes", ()):
        match = NOTE.search(note["message"])
        if match:
            yield match["name"], note.get("line"), int(match["value"])


class Origins:
    """Where the scalars of a module come from.

    A path lists the elements to take of a tuple, the first one last.
    """

    def __init__(self, text):
        self.module, self.callers = Module(text), {}
        for x in self.module.by_name.values():
            for role, computation in self.module.callees(x):
                self.callers.setdefault(computation.name, []).append((role, x))

    def argument(self, name):
        """The number of the argument that this value always is, or None."""
        x = self.module.by_name.get(name)
        return self.trace(x, ()) if x else None

    def operand(self, x, number, path=()):
        given = x.operands[number]
        return self.module.by_name[given.name], path + tuple(reversed(given.path))

    def trace(self, x, path):
        """The argument that the part of x at this path is."""
        if x.opcode == "parameter":
            return self.of_parameter(x, path)
        if x.opcode in SAME:
            return self.trace(*self.operand(x, 0, path))
        if x.opcode == "get-tuple-element":
            return self.trace(*self.operand(x, 0, path + (element(x),)))
        if x.opcode == "tuple" and path:
            return self.trace(*self.operand(x, path[-1], path[:-1]))
        if x.opcode == "while" and path:
            return self.unchanged(x, path)
        return None

    def of_parameter(self, x, path):
        if x.computation.is_entry:
            return x.parameter if not path else None
        callers = self.callers.get(x.computation.name, [])
        if not callers or any(c is not callers[0][1] for _, c in callers):
            return None
        role, caller = callers[0]
        if role in ("body", "condition"):
            return self.unchanged(caller, path)
        if caller.opcode in ("fusion", "call"):
            return self.trace(*self.operand(caller, x.parameter, path))
        return None

    def unchanged(self, loop, path):
        """A loop keeps it as it is."""
        body = self.module.body(loop)
        if not path or body.root.opcode != "tuple":
            return None
        x, inner = self.operand(body.root, path[-1], path[:-1])
        while x.opcode in SAME or x.opcode == "get-tuple-element":
            took = (element(x),) if x.opcode == "get-tuple-element" else ()
            x, inner = self.operand(x, 0, inner + took)
        if x is not body.parameters()[0] or inner != path:
            return None
        return self.trace(*self.operand(loop, 0, path))


def element(x):
    return int(x.line[slice(*x.element())])


def claim(finding, text):
    """({number of an argument: value}, names of other values)."""
    given, other = {}, []
    origins = None
    for name, _, value in named(finding):
        origins = origins or Origins(text)
        number = origins.argument(name)
        if number is None:
            other.append(name)
        else:
            given[number] = value
    return given, other
