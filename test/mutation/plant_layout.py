"""Faults in layouts, in control edges, and in allocations that are never reused.

The kinds are functions as in plant_module.py.
"""

import functools
import re

from facts import Edit
from harness import ASSIGNMENT
from plant_module import MODULE, buffered, edit_line

# The dimensions of a layout, most minor first, if there are at least two.
ORDER = re.compile(r"(?<=\{)\d+,\d+[\d,]*(?=[:}])")
PROMISE = re.compile(r"entry_computation_layout=\{\(.*")


def exchanged(order):
    """Another order: the two most minor dimensions exchanged."""
    first, second, *rest = order.split(",")
    return ",".join((second, first, *rest))


# module-layout


def layout(facts):
    """Parameters of fusions: nothing in a dump shows their layouts."""
    for x in buffered(facts):
        if x.opcode == "fusion":
            for _, c in facts.module.callees(x):
                for y in c.parameters().values():
                    for found in ORDER.finditer(y.line, y.shape_begin, y.shape_end):
                        yield functools.partial(other_layout, facts, y, found)


def other_layout(facts, y, found, rng):
    del rng
    new = exchanged(found[0])
    return edit_line(facts, y, *found.span(), new, f"{{{new}}}, was {{{found[0]}}}")


# module-promise


def promise(facts):
    head = facts.module.head
    at = PROMISE.search(head)
    # An extracted computation keeps the header of where it comes from.
    if at and not re.search(r"\bextracted\b", head):
        for found in ORDER.finditer(head, *at.span()):
            before = head[: found.start()]
            if before.rstrip("{").endswith("]"):  # the layout of an array
                yield functools.partial(other_promise, facts, found)


def other_promise(facts, found, rng):
    del rng
    head, new = facts.module.head, exchanged(found[0])
    head = head[: found.start()] + new + head[found.end() :]
    return Edit(
        f"line 1, column {found.start() + 1}: {{{new}}}, was {{{found[0]}}}",
        {MODULE: facts.module.with_lines({0: head})},
    )


# module-control


def control(facts):
    if not facts.module.is_scheduled:
        return
    for x in buffered(facts):
        if "control-predecessors" not in x.line:
            yield functools.partial(later_predecessor, facts, x)


def later_predecessor(facts, x, rng):
    later = [y for y in x.computation.instructions if y.number > x.number]
    if not later:
        return None
    end = x.attributes_end()
    before = rng.choice(later).name
    edge = f", control-predecessors={{%{before}}}"
    return edit_line(facts, x, end, end, edge, f"must wait for {before}")


# thread-local


def thread_local(facts):
    members = [
        (number, a)
        for number, a in enumerate(facts.dump.allocations)
        if ", thread-local" in a.line and a.ids
    ]
    for number, (one, a) in enumerate(members):
        for other, b in members[:number]:
            if a.size == b.size and a.color == b.color:
                yield functools.partial(merge, facts, other, one)


def merge(facts, kept, gone, rng):
    """Two thread-local allocations become one; the numbers after move up."""
    del rng
    new = facts.dump.clone()
    tags = [v.tag() for v in new.members(gone)]
    for v in new.members(gone):
        new.move(v, kept, 0)
    del new.allocations[gone]
    for number, a in enumerate(new.allocations):
        a.line = re.sub(r"(?<=^allocation )\d+", str(number), a.line)
    what = f"{', '.join(tags)} merged into allocation {kept}"
    return Edit(what, {ASSIGNMENT: new.assignment()})


KINDS = {
    "thread-local": thread_local,
    "module-layout": layout,
    "module-promise": promise,
    "module-control": control,
}
