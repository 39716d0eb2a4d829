"""Executes the schedule of a module on the bytes that its dump assigns.

An independent judge: it knows nothing of live ranges, and of the dump only which value
is at which position and where that value is. Every byte holds the names of the results
that can be read there. Loops run zero times and three times, conditionals take every
branch, and what a byte holds afterwards is what it holds on all these ways.

A hazard is (kind, what): "overwritten", a read of bytes that something else is in;
"given", a parameter that is not where the caller puts it; "caller", one that is not
donated has lost its bytes; "output", two results of the program in one place;
"returned", one of them is a parameter that is not donated;
"constant", a constant is overwritten, which the next run reads; "in place", an
instruction that reads an element which it may have overwritten before; "unread", a
loop or branch forwards a value that is overwritten, which may be read or not.
"""

import itertools
import os
import re

import numpy as np

from dump import Dump
from elements import ELEMENTWISE, Fused, TooLarge, addresses, shape_of
from harness import ASSIGNMENT, SIBLINGS, read, stem_of
from hlo import index_of, subshapes
from memory import Memory

ROUNDS = 3
TURNS = 12  # with other start indices each
OTHER_THREAD = " runs at the same time as all others"
FORWARDS = {"bitcast", "optimization-barrier", "add-dependency", "domain"}
IN_PLACE = {"sort", "scatter", "dynamic-update-slice", "custom-call", "all-reduce"}
IN_PLACE.add("ragged-all-to-all")  # its second operand is its result


class Execution:
    def __init__(self, dump, module):
        self.dump, self.module = dump, module
        self.places = {
            (name, index_of(index)): v.place()
            for v in dump.values.values()
            for name, index in v.positions
        }
        self.counter = itertools.count()
        self.hazards, self.unsure = {}, set()
        self.fused_hazards = {}

    def run(self):
        memory, given, entry = Memory(), {}, self.module.entry
        for x in self.module.by_name.values():
            place = self.places.get((x.name, ()))
            if x.opcode == "constant" and place and self.is_constant(place):
                memory.write(place, self.constant(x))
        for number, x in entry.parameters().items():
            given[number] = {}
            for index, place in self.leaves(x):
                given[number][index] = (self.new(x, index), place)
                if place:
                    memory.write(place, given[number][index][0])
                    if not self.is_given(place, number, index):
                        self.hazard("given", f"{x.name}{index} is elsewhere")
        memory, results = self.computation(entry, given, memory)
        self.at_the_end(entry, given, memory, results)
        return self.hazards

    def is_constant(self, place):
        return ", constant" in self.dump.allocations[place[0]].line

    def is_given(self, place, number, index):
        line = self.dump.allocations[place[0]].line
        stated = re.search(r", parameter (\d+).* at ShapeIndex (\{[\d,]*\})", line)
        return stated and (int(stated[1]), index_of(stated[2])) == (number, index)

    @staticmethod
    def constant(x):
        return f"{x.name} (constant)"

    def new(self, x, index):
        digits = ",".join(map(str, index))
        return f"{x.name}{{{digits}}} ({next(self.counter)})"

    def leaves(self, x):
        """(index, place or None) of every array of an instruction's result."""
        for index, shape in subshapes(x.shape).items():
            if not shape.startswith(("(", "token", "b(")):
                yield index, self.places.get((x.name, index))

    def hazard(self, kind, text):
        self.hazards.setdefault((kind, text), None)

    def at_the_end(self, entry, given, memory, results):
        root, seen = entry.root, {}
        for index, (name, place) in sorted(results.items()):
            self.check(memory, place, name, f"the output {index}")
        donated = {(number, index) for _, number, index, *_ in self.module.donations()}
        kept = {}
        for number, leaves in given.items():
            for index, (name, place) in leaves.items():
                if (number, index) in donated or not place:
                    continue
                kept[place[0]] = number
                there = memory.holds(place, name)
                if there is not None:
                    held = min(there, default="?")
                    self.hazard("caller", f"parameter {number}{index} holds {held}")
        for index, (name, place) in sorted(results.items()):
            if place is None:
                continue
            if place[0] in kept:
                self.hazard(
                    "returned", f"{root.name}{index} is parameter {kept[place[0]]}"
                )
            if place[:2] in seen and place[2]:
                self.hazard("output", f"{root.name}{index} and {seen[place[:2]]}")
            seen[place[:2]] = index

    def write(self, memory, x, place, name):
        if self.is_constant(place) and place[2]:
            self.hazard("constant", f"{x.name} writes to allocation {place[0]}")
        memory.write(place, name)

    def check(self, memory, place, name, reader):
        there = memory.holds(place, name) if place and place[2] else None
        if there is not None:
            held = min(there, default="something else")
            strip = lambda text: re.sub(r" \(\d+\)$", "", text)
            text = f"{reader} reads {strip(name)}, {strip(held)} is there"
            self.hazard("overwritten", text)

    # Instructions. A value is {index: (name, place)} of its arrays.

    def computation(self, c, given, memory):
        values = {}
        for x in c.instructions:
            if x.opcode == "parameter":
                values[x.name] = self.moved(x, given[x.parameter])
                continue
            operands = [self.subtree(values[o.name], o.path) for o in x.operands]
            memory, values[x.name] = self.instruction(x, operands, memory)
        return memory, values[c.root.name]

    @staticmethod
    def subtree(value, path):
        n = len(path)
        return {i[n:]: leaf for i, leaf in value.items() if i[:n] == path}

    def moved(self, x, value):
        """The same names, at the places of this instruction's positions."""
        return {
            i: (name, self.places.get((x.name, i), place))
            for i, (name, place) in value.items()
        }

    def instruction(self, x, operands, memory):
        if x.opcode == "tuple":
            value = {(k,) + i: v for k, o in enumerate(operands) for i, v in o.items()}
            return memory, self.moved(x, value)
        if x.opcode == "get-tuple-element":
            value = self.subtree(operands[0], (int(x.line[slice(*x.element())]),))
            return memory, self.moved(x, value)
        if x.opcode in FORWARDS:
            return memory, self.moved(x, operands[0])
        if x.opcode == "constant":
            return self.write_constant(x, memory)
        handler = {
            "while": self.loop,
            "conditional": self.conditional,
            "call": self.call,
            "copy-start": self.copy_start,
            "copy-done": self.copy_done,
        }.get(x.opcode)
        if handler:
            return handler(x, operands, memory)
        if x.opcode.endswith("-start"):
            return self.async_start(x, operands, memory)
        if x.opcode.endswith("-done") or x.opcode.endswith("-update"):
            return self.async_done(x, operands, memory)
        return self.plain(x, operands, memory)

    def write_constant(self, x, memory):
        value = {}
        for index, place in self.leaves(x):
            value[index] = (self.constant(x), place)
            if place and not self.is_constant(place):
                memory.write(place, self.constant(x))
        return memory, value

    def read_all(self, x, operands, memory, which=None):
        for k, operand in enumerate(operands):
            for index, (name, place) in operand.items():
                if which is None or (k, index) in which:
                    self.check(memory, place, name, x.name)

    def plain(self, x, operands, memory):
        used, forwarded = None, {}
        if x.opcode == "fusion":
            used, forwarded = self.used_of_fusion(x)
        self.read_all(x, operands, memory, used)
        value, is_view = {}, '"ConcatBitcast"' in x.line
        for index, place in self.leaves(x):
            if index in forwarded:
                number, path = forwarded[index]
                if path in operands[number]:
                    value[index] = (operands[number][path][0], place)
                    continue
            value[index] = (self.new(x, index), place)
        if not is_view:
            self.check_in_place(x, operands, value)
        for index, (name, place) in value.items():
            if place and index not in forwarded:
                if is_view:
                    memory.add(place, name)
                else:
                    self.write(memory, x, place, name)
        if is_view:
            self.check_view(x, operands, value[()][1])
        else:
            self.check_siblings(
                x, [v[1] for i, v in value.items() if v[1] and i not in forwarded], memory
            )
        return memory, value

    def check_view(self, x, operands, place):
        """Nothing is copied: the operands are where the result is, one after the other."""
        parts = [operand[()][1] for operand in operands if operand[()][1]]
        at = place and place[1]
        for part in parts if place else ():
            if part[:2] != (place[0], at):
                self.hazard("overwritten", f"{x.name} is not where its operands are")
            at += part[2]

    def check_siblings(self, x, places, memory):
        """Whichever of two results is written last; a kernel reads its own, too."""
        for p, q in itertools.combinations(places, 2):
            if not overlap(p, q) or not p[2] or not q[2]:
                continue
            if x.opcode == "custom-call":
                self.hazard("in place", f"{x.name} on its own results")
            begin, end = max(p[1], q[1]), min(p[1] + p[2], q[1] + q[2])
            memory.write((p[0], begin, end - begin), self.new(x, ("either",)))

    def used_of_fusion(self, x):
        """The leaves of operands that the body uses, and results that are operands."""
        body = next(c for role, c in self.module.callees(x) if role == "calls")
        instructions = {y.name: y for y in body.instructions}
        forwarded = {}
        if "output_to_operand_aliasing" in x.line:
            forwarded = self.forwarded_by(body, instructions)
        used = set()
        names = {o.name for y in body.instructions for o in y.operands}
        for number, y in body.parameters().items():
            if y.name in names or y is body.root:
                used |= {(number, i) for i, _ in self.leaves(y)}
        return used - set(forwarded.values()), forwarded

    def forwarded_by(self, body, instructions):
        out = {}
        for index, _ in self.leaves(body.root):
            x, at = body.root, index
            while True:
                if x.opcode == "tuple" and at:
                    o, at = x.operands[at[0]], at[1:]
                elif x.opcode == "get-tuple-element":
                    o, at = x.operands[0], (int(x.line[slice(*x.element())]),) + at
                elif x.opcode == "bitcast":
                    o = x.operands[0]
                else:
                    break
                at, x = o.path + at, instructions[o.name]
            if x.opcode == "parameter":
                out[index] = (x.parameter, at)
        return out

    def call(self, x, operands, memory):
        body = next(c for _, c in self.module.callees(x))
        memory, value = self.computation(body, dict(enumerate(operands)), memory)
        return memory, self.moved(x, value)

    def loop(self, x, operands, memory):
        parts = dict(self.module.callees(x))
        state, ways = operands[0], []

        def tested(memory, state):
            memory, result = self.computation(parts["condition"], {0: state}, memory)
            self.read_all(parts["condition"].root, [result], memory)
            return memory

        for turn in range(ROUNDS + 1):
            memory = tested(memory, state)
            if turn in (0, 1, ROUNDS):
                ways.append((memory.copied(), self.moved(x, state)))
            if turn < ROUNDS:
                memory, state = self.computation(parts["body"], {0: state}, memory)
                self.hand_on(x, state, memory)
        return self.joined(x, ways)

    def hand_on(self, x, value, memory):
        """What a loop or a branch forwards has to be there, also if nothing reads it."""
        for index, (name, _) in value.items():
            place = self.places.get((x.name, index))
            if place and memory.holds(place, name) is not None:
                self.hazard("unread", f"{x.name}{index}")

    def conditional(self, x, operands, memory):
        self.read_all(x, operands[:1], memory)
        ways = []
        for k, (_, branch) in enumerate(self.module.callees(x)):
            way, value = self.computation(branch, {0: operands[k + 1]}, memory.copied())
            self.hand_on(x, value, way)
            ways.append((way, self.moved(x, value)))
        return self.joined(x, ways)

    def joined(self, x, ways):
        """One memory: the result's bytes hold one name for what each way left there."""
        value = {}
        for index, place in self.leaves(x):
            name = self.new(x, index)
            value[index] = (name, place)
            for memory, results in ways:
                old = results.get(index)
                if place and old and memory.holds(place, old[0]) is None:
                    memory.add(place, name)
        return Memory.merged([memory for memory, _ in ways]), value

    # Async: what is read has to stay until the end, and what is written is busy.

    def copy_start(self, x, operands, memory):
        self.read_all(x, operands, memory)
        value = {}
        for index, place in self.leaves(x):
            if index == (1,):
                value[index] = operands[0].get((), (None, place))
                continue
            value[index] = (self.new(x, index), place)
            if place:
                self.write(memory, x, place, value[index][0])
        return memory, value

    def copy_done(self, x, operands, memory):
        """The source, unless it is copied onto itself, and what runs the copy."""
        held = {i: part for i, part in operands[0].items() if i != (0,)}
        if (1,) in held and held[(1,)][1] == operands[0][(0,)][1]:
            del held[(1,)]
        self.read_all(x, [held], memory)
        return memory, self.moved(x, {(): operands[0][(0,)]})

    def async_start(self, x, operands, memory):
        """Element 0 is the operands, forwarded; all else is written."""
        self.read_all(x, operands, memory)
        if "async_execution_thread=" in x.line:
            self.unsure.add(x.name + OTHER_THREAD)
        self.start_in_place(x, operands)
        value, several = {}, any(index[:2] == (0, 0) for index, _ in self.leaves(x))
        for index, place in self.leaves(x):
            k, rest = (
                (index[1], index[2:]) if several and index[0] == 0 else (0, index[1:])
            )
            if index[:1] == (0,) and k < len(operands) and rest in operands[k]:
                value[index] = operands[k][rest]
                continue
            value[index] = (self.new(x, index), place)
            if place:
                self.write(memory, x, place, value[index][0])
        return memory, value

    def start_in_place(self, x, operands):
        results = {i[1:]: (None, p) for i, p in self.leaves(x) if i[:1] == (1,)}
        if x.opcode == "fusion-start":
            return self.check_in_place(x, operands, results, (1,))
        read = [p for operand in operands for _, p in operand.values() if p]
        for p, (_, q) in itertools.product(read, results.values()):
            if q and overlap(p, q) and (p != q or x.opcode != "all-reduce-start"):
                self.unsure.add(f"the order in which {x.name} reads and writes")

    def async_done(self, x, operands, memory):
        written = [p for i, (_, p) in operands[0].items() if i[:1] == (1,) and p]
        held = {
            i: (name, place)
            for i, (name, place) in operands[0].items()
            if i[:1] != (1,) and place and not any(overlap(place, p) for p in written)
        }
        self.read_all(x, [held], memory)
        result = self.subtree(operands[0], (1,)) or operands[0]
        if x.opcode.endswith("-update"):
            result = operands[0]
        return memory, self.moved(x, result)

    # In place.

    def check_in_place(self, x, operands, value, path=()):
        overlapping = [
            (k, i, j)
            for k, operand in enumerate(operands)
            for i, (_, p) in operand.items()
            for j, (_, q) in value.items()
            if p and q and overlap(p, q)
        ]
        if x.opcode in ELEMENTWISE | IN_PLACE:
            for k, i, j in overlapping:
                self.simple_in_place(x, operands[k][i][1], k, value[j][1])
                if x.opcode == "sort" and j not in ((), (k,)):
                    self.hazard("in place", f"{x.name}{j} on operand {k}")
            return
        if any(operands[k][i][1][1] != value[j][1][1] for k, i, j in overlapping):
            self.unsure.add(f"whether {x.name} also writes padding")
        if overlapping and x.name not in self.fused_hazards:
            self.fused_hazards[x.name] = True
            try:
                for turn in range(TURNS):
                    if not self.elements_in_place(x, operands, value, turn, path):
                        break
            except TooLarge as reason:
                self.unsure.add(str(reason))

    def simple_in_place(self, x, p, k, q):
        if x.opcode == "custom-call":
            if "output_to_operand_aliasing" not in x.line:
                self.hazard("in place", f"{x.name} on operand {k}")
        elif p != q or (k and x.opcode in ("scatter", "dynamic-update-slice")):
            self.hazard("in place", f"{x.name} on operand {k}")

    def follow(self, x, turn):
        """What follows the elements of a fusion in one turn."""
        return Fused(self.module, x.name, turn)

    def elements_in_place(self, x, operands, value, turn, path):
        """Whether an element is read that another one of the result overwrites.

        True if other start indices could tell something else.
        """
        fused, given, shapes = self.follow(x, turn), [], {}
        for k, o in enumerate(x.operands):
            leaves = {}
            texts = subshapes(self.module.by_name[o.name].shape)
            for index in operands[k]:
                shapes[k, index] = shape_of(texts[o.path + index])
                leaves[index] = fused.leaf((k, index), shapes[k, index])
            given.append(leaves)
        results = fused.instruction(x, given)
        texts = subshapes(x.shape)
        writers = {j: shape_of(texts[path + j]) for j in results}
        for (k, index), shape in shapes.items():
            place = operands[k][index][1]
            owner = self.owners(place, writers, value, results, (k, index), shape)
            if owner is None:
                continue
            for j, out in results.items():
                self.compare(x, (k, index), j, out, owner, fused)
        return fused.drew

    @staticmethod
    def owners(place, writers, value, results, leaf, shape):
        """(element of the leaf, which element changes it): -1 for none; by iteration."""
        if place is None:
            return None
        begin = place[1] + addresses(shape) * shape.width
        found = np.full(shape.size, -1)
        for j, out in writers.items():
            q = value[j][1]
            if q is None or not overlap(place, q):
                continue
            at = q[1] + addresses(out) * out.width
            same = results[j].same.get(leaf, np.full(out.size, -1))
            for i, b in enumerate(begin.tolist()):
                hits = np.nonzero((at < b + shape.width) & (b < at + out.width))[0]
                for e in hits.tolist():
                    if not (same[e] == i and at[e] == b):
                        found[i] = e
        return found if (found >= 0).any() else None

    def compare(self, x, leaf, j, out, owner, fused):
        reads = out.reads.get(leaf)
        if reads is None:
            return
        elements, read = np.nonzero(reads)
        wrong = (owner[read] >= 0) & (owner[read] != elements)
        if wrong.any():
            e, r = elements[wrong][0], read[wrong][0]
            text = (
                f"{x.name}{j or ''} element {e} reads element {r} of operand {leaf[0]}"
            )
            if fused.unsure or ", kind=kCustom" in x.line:
                self.unsure.add(text)
            else:
                self.hazard("in place", f"{x.name} on operand {leaf[0]}")


def overlap(p, q):
    return p[0] == q[0] and p[1] < q[1] + q[2] and q[1] < p[1] + p[2]


def dump_of(assignment):
    """The dump that a file of an assignment is of, with the files next to it."""
    stem, files = stem_of(assignment), {ASSIGNMENT: read(assignment)}
    for tail in SIBLINGS:
        if os.path.exists(stem + tail):
            files[tail] = read(stem + tail)
    return Dump(files)
