#!/usr/bin/env python3
"""stitch.py ASSIGNMENT COPIES FOLDER: a large dump from a small real one.

Writes the dump of a program that runs that of ASSIGNMENT, a dump of one module
in files of its own (XLA since 2026-04-03), COPIES times in a row and returns
all results in a tuple. Instructions, value ids, allocations and steps are those
of the compiler, shifted copy by copy; all copies share the bytes of the temp
allocation. The program's result must be one array and nothing may be donated.
COPIES may be a size instead: 50M for about 50 MB without the module.
"""

import math
import os
import re
import sys

TAILS = ("-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt")
NAME = r"[A-Za-z_][\w.\-]*"
INDEX = r"\{[\d,]*\}"
# In templates: what follows is a number to which a multiple of the copy is
# added, or a name to which the copy is appended.
MARK = "\x01"


class Template:
    """A text with `MARK kind number MARK`, and `MARK n MARK` behind names."""

    def __init__(self, text, steps):
        self.parts = text.split(MARK)
        self.steps = steps

    def at(self, copy):
        parts = list(self.parts)
        suffix = f".r{copy}"
        for i in range(1, len(parts), 2):
            kind = parts[i]
            parts[i] = (
                suffix
                if kind == "n"
                else str(int(kind[1:]) + copy * self.steps[kind[0]])
            )
        return "".join(parts)


def number(kind, value):
    return f"{MARK}{kind}{value}{MARK}"


def name(text):
    return f"{text}{MARK}n{MARK}"


def logical_bytes(shape):
    """The bytes of an array without padding, which live ranges are about."""
    bits, sizes = re.match(r"[a-z]+(\d*)\w*\[([\d,<=]*)\]", shape).groups()
    elements = math.prod(int(size.lstrip("<=")) for size in sizes.split(",") if size)
    return elements * max(1, int(bits or 8) // 8)


def mark_percent_names(text):
    return re.sub(rf"%({NAME})", lambda m: "%" + name(m[1]), text)


def mark_tags(text):
    return re.sub(
        rf"<(\d+) ({NAME})", lambda m: f"<{number('v', m[1])} {name(m[2])}", text
    )


class Base:
    """The dump to be repeated, taken apart."""

    def __init__(self, path):
        stem = path.removesuffix(TAILS[0])
        if stem == path:
            sys.exit(f"error: {path} does not end in {TAILS[0]}")
        self.stem = os.path.basename(stem)
        assignment, values, live, module = (
            open(stem + tail, encoding="utf-8", newline="").read()
            for tail in (*TAILS, ".txt")
        )
        self.op_names = {}
        if MARK in assignment + values + live + module:
            sys.exit("error: the dump holds control characters")
        self.read_live(live)
        self.read_allocations(assignment)
        self.read_module(module)
        self.read_values(values)

    def read_live(self, text):
        self.length = int(re.match(r"HloLiveRange \(max (\d+)", text)[1])
        self.order = re.findall(rf"^    \d+:({NAME})$", text, re.M)
        self.ranges = [
            ((m[1], m[2]), int(m[3]), int(m[4]))
            for m in re.finditer(rf"^    ({NAME})({INDEX}):(\d+)-(\d+)$", text, re.M)
        ]
        self.peak_step = int(re.search(r"Live ranges at (\d+)", text)[1])
        self.peak = [
            ((m[1], m[2]), int(m[3]))
            for m in re.finditer(rf"^    ({NAME})({INDEX}): (\d+) bytes", text, re.M)
        ]

    def read_allocations(self, text):
        blocks = re.split(r"^(?=allocation )", text, flags=re.M)[1:]
        self.allocations = []
        self.parameters = 0
        for block in blocks:
            head, rest = block.split("\n", 1)
            size = int(re.search(r"size (\d+)", head)[1])
            match = re.search(r"parameter (\d+)", head)
            if match:
                self.parameters += 1
                head = head.replace(match[0], f"parameter {number('p', match[1])}")
            head = re.sub(r"output shape is \|.*?\|, ", "", head)
            head = head.split(":", 1)[1]
            self.allocations.append(
                (size, "preallocated-temp" in head, head, mark_tags(rest))
            )

    def read_module(self, text):
        before, entry = text.split("\nENTRY ", 1)
        at = re.search(r"^%", before, re.M)
        self.header = before[: at.start()] if at else before
        computations = before[at.start() :] + "\n" if at else ""
        computations = "".join(map(self.heading, computations.splitlines(True)))
        self.computations = mark_percent_names(computations)
        heading, body = entry.split("\n", 1)
        body, self.tail = body.rsplit("}\n", 1)
        match = re.search(rf"ROOT %({NAME}) = (.*?) ", body)
        self.root, self.shape = match[1], match[2]
        if self.shape.startswith("("):
            sys.exit("error: the result of the program must be one array")
        body = body.replace("ROOT ", "", 1)
        self.op_names = {
            m[1]: m[2].replace("\\'", "'")
            for m in re.finditer(rf'^  %({NAME}) = .*op_name="([^"]*)"', body, re.M)
        }
        self.body = mark_percent_names(self.mark_parameters(body))
        self.entry = heading.split(" ", 1)[0]
        self.entry_parameters = re.search(r"\((.*)\) -> ", heading)[1]
        self.layout = re.search(r"entry_computation_layout=\{\((.*)\)->", text)[1]

    @staticmethod
    def heading(line):
        if not line.startswith("%"):
            return line
        return re.sub(rf"(?<=[(\s])({NAME})(?=: )", lambda m: name(m[1]), line)

    @staticmethod
    def mark_parameters(text):
        return re.sub(
            r" parameter\((\d+)\)", lambda m: f" parameter({number('p', m[1])})", text
        )

    def read_values(self, text):
        self.values_head, rest = text.split("Used values:\n", 1)
        blocks = re.split(r"^(?=<\d)", rest, flags=re.M)[1:]
        self.ids = 1 + max(int(re.match(r"<(\d+)", b)[1]) for b in blocks)
        entry = set(self.order)
        out = []
        for block in blocks:
            own = re.match(rf"<\d+ ({NAME})", block)[1]
            head, text = block.split(" from instruction:", 1)
            head = re.sub(rf"^  ({NAME})(?=,| \{{|$)", lambda m: "  " + name(m[1]), head, flags=re.M)
            if own == self.root:
                text = text.replace("ROOT ", "")
                head = head.replace(" uses:\n", f"  all {{{number('c', 0)}}}\n uses:\n")
                head = head.replace("  (none)\n", "")
                head += f"  all, operand {number('c', 0)}\n"
            if own in entry:
                text = self.mark_parameters(text)
            out.append(mark_tags(head) + " from instruction:" + mark_percent_names(text))
        self.values = "".join(out)


class Stitched:
    """COPIES of a base."""

    def __init__(self, base, copies):
        self.base = base
        self.copies = copies
        self.steps = {"v": base.ids, "p": base.parameters, "c": 1, "t": base.length}
        self.end = copies * base.length + 1
        self.tuple_id = copies * base.ids

    def every(self, text):
        template = Template(text, self.steps)
        return (template.at(copy) for copy in range(self.copies))

    def tuple_bytes(self):
        """The size of the result's index table; layouts with tiles are those of TPU."""
        if ":T(" in self.base.shape:
            return -(-4 * self.copies // 512) * 512
        return 8 * self.copies

    def tuple_shape(self, shape):
        return "(" + self.numbered([shape] * self.copies) + ")"

    def tuple_text(self):
        operands = self.numbered(f"%{self.base.root}.r{i}" for i in range(self.copies))
        return f"{self.tuple_shape(self.base.shape)} tuple({operands})"

    @staticmethod
    def numbered(items):
        """A list with a comment in front of every fifth item, as XLA prints it."""
        return ", ".join(
            f"/*index={i}*/{item}" if i and i % 5 == 0 else item
            for i, item in enumerate(items)
        )

    def assignment(self, out):
        out.write("BufferAssignment:\n")
        plain = self.tuple_shape(self.base.shape.split("{")[0])
        size = self.tuple_bytes()
        paged = any(", page " in block[2] for block in self.base.allocations)
        page = ", page 0" if paged else ""
        result = (
            size,
            False,
            f" size {size}{page}, output shape is |{plain}|, maybe-live-out:",
            f" value: <{self.tuple_id} all{{}} @0> (size={size},offset=0): "
            f"{self.tuple_shape(self.base.shape)}\n",
        )
        blocks = [*self.base.allocations]
        at = sum(1 for block in blocks if not block[1] and block[0] >= size)
        blocks.insert(at, result)
        index = self.total = 0
        for block in blocks:
            size, temp, head, values = block
            if temp or block is result:
                texts = self.every(values) if temp else [values]
                out.write(f"allocation {index}:{head}\n")
                out.writelines(texts)
                index += 1
                self.total += size
                continue
            for head, values in zip(self.every(head), self.every(values)):
                out.write(f"allocation {index}:{head}\n{values}")
                index += 1
                self.total += size

    def values(self, out):
        human = human_bytes(self.total)
        out.write(f"\nTotal bytes used: {self.total} ({human})\n\nUsed values:\n")
        out.writelines(self.every(self.base.values))
        out.write(f"<{self.tuple_id} all{{}} @0>\n positions:\n  all {{}}\n uses:\n  (none)\n")
        out.write(f" from instruction: %all = {self.tuple_text()}\n")

    def live(self, out):
        base, end = self.base, self.end
        out.write(f"HloLiveRange (max {end}):\n  InstructionSequence:\n")
        rows = "".join(f"    {number('t', i)}:{name(n)}\n" for i, n in enumerate(base.order))
        out.writelines(self.every(rows))
        out.write(f"    {end - 1}:all\n  BufferLiveRange:\n")
        rows = ""
        for (own, index), first, last in base.ranges:
            first = number("t", first) if first or last != base.length else "0"
            last = number("t", last) if last != base.length else str(end)
            rows += f"    {name(own)}{index}:{first}-{last}\n"
        out.writelines(self.every(rows))
        out.write(f"    all{{}}:{end - 1}-{end}\n")
        step, peak = self.peak()
        out.write(f"  Live ranges at {step} (peak):\n")
        total = 0
        for (own, index), size in peak:
            total += size
            out.write(f"    {own}{index}: {size} bytes (cumulative: {total} bytes)\n")
        self.stack(out, peak)

    def stack(self, out, peak):
        """The tree of one level: bytes at the peak by op_name."""
        total, sums = sum(size for _, size in peak), {}
        for (own, _), size in peak:
            name = self.base.op_names.get(own.rsplit(".r", 1)[0], own)
            sums[name] = sums.get(name, 0) + size
        out.write(f"  Stack trace breakdown for peak usage: {spaced(total)} bytes\n")
        rest, entry = total, self.base.entry[1:]
        out.write(
            f"    {entry} (100.0%, total: {spaced(total)} bytes, current: 0 bytes, "
            f"remaining: {spaced(total)} bytes)\n"
        )
        tree = {}
        for own, size in sums.items():
            # XLA splits p['layer'] into p and layer.
            parent, *rest = re.split(r"\['|'\]", own) if "['" in own else [own]
            tree.setdefault(parent, []).extend([("".join(rest), size)])
        self.branches(
            out,
            "      ",
            [(own, sum(size for _, size in below), below) for own, below in tree.items()],
            total,
            total,
        )

    def branches(self, out, indent, rows, rest, total):
        """Rows of (name, bytes, [(name, bytes)]) of one level, and what is below."""
        rows = sorted(rows, key=lambda row: (-row[1], row[0]))
        for own, size, below in rows:
            below = [(child, bytes_, []) for child, bytes_ in below if child]
            last = own == rows[-1][0]
            current = 0 if below else size
            rest -= current
            out.write(
                f"{indent}{'└──' if last else '├──'} {own} ({100 * size / total:.1f}%, "
                f"total: {spaced(size)} bytes, current: {spaced(current)} bytes, "
                f"remaining: {spaced(rest)} bytes)\n"
            )
            if below:
                self.branches(out, indent + ("    " if last else "│   "), below, rest, total)
                rest -= size

    def peak(self):
        base, last = self.base, self.copies - 1
        sizes = dict(base.peak)
        root = (base.root, "{}")
        held = {n for n, _, end in base.ranges if end == base.length} - {root}
        missing = (held | {root}) - sizes.keys()
        sizes.update({n: self.size_of(n) for n in missing})

        def rows(names, copies):
            return [((f"{n}.r{c}", index), sizes[n, index]) for c in copies for n, index in names]

        kept = rows(held, range(self.copies))
        results = rows([root], range(self.copies))
        inside = rows([n for n, _ in base.peak if n not in held], [last])
        before = [r for r in results[:last] if r not in inside]
        step, peak = last * base.length + base.peak_step, kept + before + inside
        ending = kept + results + [(("all", "{}"), 8 * self.copies)]
        ends = self.held_to(base.length - 1) + sum(size for _, size in ending)
        if ends > self.held_to(base.peak_step - 1) + sum(size for _, size in peak):
            step, peak = self.end - 1, ending
        return step, sorted(peak, key=lambda row: (-row[1], row[0]))

    def held_to(self, step):
        """The bytes that end at STEP; XLA still counts them one step later."""
        return sum(self.size_of(n) for n, _, end in self.base.ranges if end == step)

    def size_of(self, own):
        for _, _, _, values in self.base.allocations:
            spelled = re.escape(name(own[0]) + ("" if own[1] == "{}" else own[1]))
            match = re.search(rf" {spelled}(?:{{}})? .*\(size=\d+,offset=\d+\): (.*)", values)
            if match:
                return logical_bytes(match[1])
        return 0

    def module(self, out):
        base = self.base
        layout = ", ".join([re.sub(r"/\*.*?\*/", "", base.layout)] * self.copies)
        result = self.tuple_shape(base.shape)
        out.write(
            re.sub(
                r"entry_computation_layout=\{.*?\)->.*?\}(?=, |$)",
                lambda _: f"entry_computation_layout={{({layout})->{result}}}",
                base.header.split("\n", 1)[0].split(", allow_spmd")[0] + ", x",
            ).removesuffix(", x")
        )
        out.write("\n" + base.header.split("\n", 1)[1])
        out.writelines(self.every(base.computations))
        heading = Base.heading("%(" + base.entry_parameters + ")")[2:-1]
        plain = self.tuple_shape(base.shape.split("{")[0])
        out.write(f"ENTRY {base.entry} ({', '.join(self.every(heading))}) -> {plain} {{\n")
        out.writelines(self.every(base.body))
        out.write(f"  ROOT %all = {self.tuple_text()}\n}}\n")


def spaced(size):
    return f"{size:,}".replace(",", " ")


def human_bytes(size):
    for unit, digits, suffix in ((30, 2, "GiB"), (20, 2, "MiB"), (10, 1, "KiB")):
        if size >= 1 << unit:
            # XLA drops all bits but ten after the point.
            return f"{(size >> (unit - 10)) / 1024:.{digits}f}{suffix}"
    return f"{size}B"


def size_per_copy(base):
    texts = [base.values, *(a[2] + a[3] for a in base.allocations)]
    return sum(map(len, texts)) + 60 * len(base.order)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    base = Base(sys.argv[1])
    copies = sys.argv[2]
    if copies.endswith("M"):
        copies = int(copies.removesuffix("M")) * 10**6 // size_per_copy(base)
    stitched = Stitched(base, max(1, int(copies)))
    os.makedirs(sys.argv[3], exist_ok=True)
    parts = (stitched.assignment, stitched.values, stitched.live, stitched.module)
    for tail, write in zip((*TAILS, ".txt"), parts):
        with open(
            os.path.join(sys.argv[3], base.stem + tail), "w", encoding="utf-8", newline=""
        ) as out:
            write(out)


if __name__ == "__main__":
    main()
