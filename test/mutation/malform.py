#!/usr/bin/env python3
"""Makes instructions of HLO modules malformed and counts what is not reported.

One instruction at a time, also inside of fusions and of what is never called,

  operand-lost    loses an operand
  operand-gained  gets one more: the last one again, or an instruction before it
  callee-lost     loses a computation that it calls, or the attribute that names it
  callee-gained   calls one more, in an attribute that it has, or a new one
  index-lost      a get-tuple-element, a parameter, a reader of an element (`x#1`) or an
                  output_to_operand_aliasing loses its index
  index-gained    an operand is read at an element of itself, `x#0`, a get-tuple-element
                  takes the element after the last one, a parameter has the number after the
                  last one, an alias is of an element more

The dump stays as it is. A crash is an exit status other than 0, 1 and 2, a hang is more
than --timeout seconds. A case passes in silence if the exit status is 0, where warnings
are errors: neither is the module called malformed, nor is there any finding.

Edits after which the module is well formed and says the same of buffers are left out:

  * an after-all, which orders and computes nothing, waits for other tokens;
  * a custom-call inside of a fusion, without operand_layout_constraints, or a computation
    that a custom-call names: what they stand for is not in any text;
  * a computation that async-update, async-done or the start of a collective names, which
    releases print or leave out;
  * an operand in a computation that is never reached, or a computation named there;
  * a further operand of a fusion, which its computation does not take.
"""

import collections
import concurrent.futures
import os
import random
import re
import shutil
import sys
import tempfile

from harness import (
    assignments,
    first_finding,
    module_of,
    option_parser,
    read,
    run_tool,
    stem_of,
    write,
)
from hlo import CALLED, Module, shape_nodes

Case = collections.namedtuple("Case", "kind opcode number line")
MAY_CALL = re.compile(r"custom-call$|async-|.*-(?:start|update|done)$")
ALIASING = ", output_to_operand_aliasing={"


def without(line, begin, end):
    """The line without an item of a list, and without the comma next to it."""
    if line[end : end + 2] == ", ":
        return line[:begin] + line[end + 2 :]
    before = re.search(r", (?:/\*index=\d+\*/)?$", line[:begin])
    return line[: before.start() if before else begin] + line[end:]


def span(x, operand):
    """Where an operand is, with its shape and the comment before it."""
    before = x.line.rfind(", ", x.begin, operand.begin)
    begin = x.begin if before < 0 else before + 2
    # Shapes hold commas too.
    depth = 0
    for at in range(operand.begin - 1, x.begin - 1, -1):
        depth += (x.line[at] in ")]}") - (x.line[at] in "([{")
        if depth == 0 and x.line[at] == "," and x.line[at + 1] == " ":
            return at + 2, operand.end
        begin = at
    return begin, operand.end


def operand_lost(module, x, rng):
    if x.operands:
        yield without(x.line, *span(x, rng.choice(x.operands)))


def operand_gained(module, x, rng):
    if x.opcode in ("parameter", "constant", "fusion"):
        return
    own = x.computation.instructions
    before = [y.name for y in own[: own.index(x)]]
    names = [o.name for o in x.operands[-1:]] + ([rng.choice(before)] if before else [])
    if names:
        comma = ", " if x.operands else ""
        yield x.line[: x.end] + comma + rng.choice(names) + x.line[x.end :]


def callee_lost(module, x, rng):
    for match in CALLED.finditer(x.line, x.end, x.attributes_end()):
        yield x.line[: match.start()] + x.line[match.end() :]
    for _, _, begin, end in x.called():
        begin -= x.line[begin - 1] == "%"
        if x.line[end : end + 2] == ", " or x.line[begin - 2 : begin] == ", ":
            yield without(x.line, begin, end)


def callee_gained(module, x, rng):
    names = list(module.computations)
    before = names[: names.index(x.computation.name)]
    if not before:
        return
    name = rng.choice(before)
    for _, _, begin, end in x.called():
        if x.line[end : end + 1] == "}":
            yield x.line[:end] + ", %" + name + x.line[end:]
    roles = {role for role, *_ in x.called()}
    for role in ("calls", "to_apply", "body"):
        if role not in roles:
            yield f"{x.line[: x.end + 1]}, {role}=%{name}{x.line[x.end + 1 :]}"


def index_lost(module, x, rng):
    if x.opcode == "get-tuple-element" and x.element():
        begin, end = x.element()
        yield x.line[: begin - len(", index=")] + x.line[end:]
    if x.opcode == "parameter":
        yield x.line[: x.begin] + x.line[x.end :]
    for o in x.operands:
        if o.path:
            yield x.line[: x.line.rfind("#", 0, o.end)] + x.line[o.end :]
    for output, _, index, begin, end in x.aliases():
        if output:
            inner = x.line.index("}", begin)
            yield x.line[: begin + 1] + x.line[inner:]


def index_gained(module, x, rng):
    elements = sum(len(index) == 1 for index, *_ in module_shape(module, x))
    if x.opcode == "get-tuple-element" and x.element():
        begin, end = x.element()
        yield f"{x.line[:begin]}{elements}{x.line[end:]}"
    if x.opcode == "parameter":
        count = len(x.computation.parameters())
        yield f"{x.line[: x.begin]}{count}{x.line[x.end :]}"
    for o in x.operands:
        # An element of a tuple is a tuple's reader too: only arrays have none.
        if o.path or not module.by_name[o.name].shape.startswith("("):
            yield f"{x.line[: o.end]}#0{x.line[o.end :]}"
    for output, _, index, begin, end in x.aliases():
        yield f"{x.line[: begin + 1]}99{x.line[x.line.index('}', begin) :]}"


def module_shape(module, x):
    """The parts of the shape of operand 0."""
    source = module.by_name.get(x.operands[0].name) if x.operands else None
    return list(shape_nodes(source.shape)) if source else []


KINDS = {
    "operand-lost": operand_lost,
    "operand-gained": operand_gained,
    "callee-lost": callee_lost,
    "callee-gained": callee_gained,
    "index-lost": index_lost,
    "index-gained": index_gained,
}


def reached(module):
    seen, work = {module.entry.name}, [module.entry]
    while work:
        for x in work.pop().instructions:
            for _, c in module.callees(x):
                if c.name not in seen:
                    seen.add(c.name)
                    work.append(c)
    return seen


def says_the_same(module, alive, kind, x):
    """The rules on top of this file."""
    if x.opcode == "after-all" and kind.startswith("operand"):
        return True
    if x.opcode == "custom-call":
        if kind.startswith("callee"):
            return True
        if (
            kind.startswith("operand")
            and x.computation.name not in module.buffered
            and "operand_layout_constraints=" not in x.line
        ):
            return True
    if kind.startswith("callee") and MAY_CALL.match(x.opcode):
        return True
    return x.computation.name not in alive and x.opcode == "custom-call"


def plan(module, count, rng):
    """Cases, evenly over kinds, and within a kind over opcodes."""
    places = collections.defaultdict(lambda: collections.defaultdict(list))
    alive = reached(module)
    for x in module.by_name.values():
        for kind, make in KINDS.items():
            if says_the_same(module, alive, kind, x):
                continue
            for line in make(module, x, rng):
                if line != x.line:
                    places[kind][x.opcode].append(Case(kind, x.opcode, x.number, line))
    for opcodes in places.values():
        for cases in opcodes.values():
            rng.shuffle(cases)
    turn = 0
    while count and places:
        kind = sorted(places)[turn % len(places)]
        # The next case of this kind has another opcode, where there is one.
        opcode = next(iter(places[kind]))
        cases = places[kind].pop(opcode)
        yield cases.pop()
        count -= 1
        turn += 1
        if cases:
            places[kind][opcode] = cases
        elif not places[kind]:
            del places[kind]


class Runner:
    def __init__(self, args):
        self.args = args

    def module(self, assignment):
        """(reason to leave it out, [(case, old line, answer)])"""
        path = module_of(assignment)
        least, most = self.args.smallest, self.args.largest
        if not path or not least <= os.path.getsize(path) <= most:
            return "no module of this size", []
        text = read(path)
        try:
            module = Module(text)
        except ValueError as error:
            return str(error), []
        with tempfile.TemporaryDirectory() as folder:
            stem = stem_of(assignment)
            for name in os.listdir(os.path.dirname(assignment)):
                source = os.path.join(os.path.dirname(assignment), name)
                if source.startswith(stem) and os.path.isfile(source):
                    shutil.copy(source, folder)
            copy = os.path.join(folder, os.path.basename(assignment))
            status, output = run_tool(self.args.tool, copy, self.args.timeout)
            if status != 0:
                return f"not clean: {status} {first_finding(output)}", []
            rng = random.Random(f"{self.args.seed}/{os.path.basename(assignment)}")
            results = []
            for case in plan(module, self.args.edits_per_file, rng):
                changed = module.with_lines({case.number: case.line})
                write(os.path.join(folder, os.path.basename(path)), changed)
                status, output = run_tool(self.args.tool, copy, self.args.timeout)
                results.append((case, module.lines[case.number], answer(status, output)))
            return None, results


def answer(status, output):
    if status == "timeout":
        return "hang"
    if status not in (0, 1, 2):
        return "crash"
    if status == 0:
        return "silent"
    return "malformed" if "[unreadable]" in output else "finding"


def main():
    parser = option_parser(__doc__, edits=200)
    parser.add_argument(
        "--smallest", type=int, default=0, help="bytes of a module's text"
    )
    parser.add_argument(
        "--largest", type=int, default=200000, help="bytes of a module's text"
    )
    parser.add_argument("--verbose", action="store_true", help="show each silent case")
    args = parser.parse_args()
    args.tool = shutil.which(args.tool) or sys.exit(f"no program '{args.tool}'")
    wanted, args.max_files = args.max_files, 0
    counts = collections.Counter()
    modules = 0
    chosen = iter(assignments(args.paths, 0, args.seed))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        pending = set()
        while True:
            while len(pending) < args.jobs and (not wanted or modules < wanted):
                name = next(chosen, None)
                if name is None:
                    break
                pending.add(pool.submit(lambda n: (n, *Runner(args).module(n)), name))
            if not pending:
                break
            done, pending = concurrent.futures.wait(
                pending, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for each in done:
                name, reason, results = each.result()
                if reason or not results:
                    continue
                if wanted and modules == wanted:
                    continue
                modules += 1
                for case, old, said in results:
                    counts[case.kind, said] += 1
                    if said in ("crash", "hang") or (said == "silent" and args.verbose):
                        print(
                            f"{said.upper()}: {case.kind}: {name}: line "
                            f"{case.number + 1}\n  - {old[:300]}\n  + {case.line[:300]}",
                            flush=True,
                        )
    said = ("malformed", "finding", "silent", "hang", "crash")
    print(f"{'kind':16}" + "".join(f"{s:>10}" for s in said))
    for kind in KINDS:
        print(f"{kind:16}" + "".join(f"{counts[kind, s]:10}" for s in said))
    total = {s: sum(counts[kind, s] for kind in KINDS) for s in said}
    print(
        f"{modules} modules, {sum(total.values())} cases: {total['malformed']} malformed, "
        f"{total['finding']} findings, {total['silent']} silent, {total['hang']} hangs, "
        f"{total['crash']} crashes"
    )
    return bool(total["silent"] + total["hang"] + total["crash"]) or not modules


if __name__ == "__main__":
    sys.exit(main())
