"""Faults of copy insertion: a copy is gone that an operation in place needed.

The copy's only reader is an instruction whose result has the copy's place, and what was
copied is read again afterwards. Without the copy the result is in the place of what was
copied, and overwrites it before that reader.
"""

import functools
import re

from facts import Edit
from harness import ASSIGNMENT
from hlo import is_array
from plant_module import MODULE, buffered

# These read no element, or what they read is read by their users only.
SILENT = set("bitcast get-tuple-element tuple after-all add-dependency domain".split())


def order_of(shape):
    return re.sub(r"S\(\d+\)", "", shape).replace(":}", "}")


def reads_later(facts, v, reader):
    """Whether something of the reader's computation reads v after the reader."""
    for name, *_ in v.uses:
        x = facts.module.by_name.get(name)
        if x and x.computation is reader.computation and x.opcode not in SILENT:
            if facts.is_sequenced(name) and facts.time[name] > facts.time[reader.name]:
                return True
    return False


def copy_removed(facts):
    for copy in buffered(facts) if facts.module.is_scheduled else ():
        if copy.opcode != "copy" or not is_array(copy.shape):
            continue
        operand = copy.operands[0]
        source = facts.at.get((operand.name, operand.path))
        copied = facts.at.get((copy.name, ()))
        if not source or not copied or copied.name != copy.name:
            continue
        if source.size != copied.size or source.color != copied.color:
            continue
        if order_of(source.shape) != order_of(copied.shape) or operand.path:
            continue
        if [name for name, _ in copied.positions] != [copy.name] or len(copied.uses) != 1:
            continue
        reader = facts.module.by_name.get(copied.uses[0][0])
        if not reader or reader.computation is not copy.computation:
            continue
        if reader.opcode in SILENT | {"copy"} or not facts.is_sequenced(reader.name):
            continue
        results = [v for v in facts.mates(copied) if v.name == reader.name]
        if len(results) != 1 or facts.mates(copied) != results:
            continue
        if reads_later(facts, source, reader):
            yield functools.partial(plant, facts, copy, copied, reader, results[0], source)


def plant(facts, copy, copied, reader, result, source, rng):
    del rng
    new = facts.dump.clone()
    new.remove(new.values[copied.id])
    new.move(new.values[result.id], source.allocation, source.offset)
    taken = next(o for o in reader.operands if o.name == copy.name)
    name = copy.line[copy.operands[0].begin : copy.operands[0].end]
    line = reader.line[: taken.begin] + name + reader.line[taken.end :]
    text = facts.module.with_lines({copy.number: "", reader.number: line})
    what = f"{copy.name} is gone: {reader.name} overwrites {source.name}"
    return Edit(what, {ASSIGNMENT: new.assignment(), MODULE: text})


KINDS = {"copy-removed": copy_removed}
