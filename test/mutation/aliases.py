"""Values that must share a place: only those pairs that are beyond doubt."""

import collections

Alias = collections.namedtuple("Alias", "one other how")


def aliases(facts):
    module = facts.module
    for output, number, index, *_ in module.donations():
        x = module.entry.parameters().get(number)
        if x:
            there = module.entry.root.name, output
            yield from pair(facts, there, (x.name, index), "donation")
    for x in module.by_name.values():
        if x.computation.name not in module.buffered:
            continue
        if x.opcode in ("while", "conditional"):
            yield from control(facts, x)
        else:
            for output, number, index, how in in_place(module, x):
                if number < len(x.operands):
                    o = x.operands[number]
                    source = o.name, o.path + index
                    yield from pair(facts, (x.name, output), source, how)


def control(facts, x):
    for index in facts.shapes(x.name):
        here = x.name, index
        if x.opcode == "while":
            o, c = x.operands[0], facts.module.body(x)
            parameter = c.parameters()[0].name, index
            yield from pair(facts, here, (o.name, o.path + index), "loop's init")
            yield from pair(facts, here, (c.root.name, index), "loop's root")
            v = facts.at.get(parameter)
            if v and v.key == parameter:  # it kept its own phi
                yield from pair(facts, here, parameter, "loop's parameter")
        else:
            for _, c in facts.module.callees(x):
                yield from pair(facts, here, (c.root.name, index), "branch's root")


def in_place(module, x):
    """(output, operand, index in it, how) that an instruction writes in place."""
    if x.opcode == "dynamic-update-slice":
        yield (), 0, (), "update"
    elif x.opcode == "scatter":
        count = (len(x.operands) - 1) // 2
        for k in range(count):
            yield (() if count == 1 else (k,)), k, (), "scatter"
    elif x.opcode in ("custom-call", "fusion"):
        for output, number, index, *_ in x.aliases():
            yield output, number, index, "declared"
    if x.opcode == "fusion":
        for output, number in fused_updates(module, x):
            yield output, number, (), "fused update"


def fused_updates(module, x):
    """(output, operand) of a fusion that plainly updates its own parameters."""
    for _, c in module.callees(x):
        by_name = {y.name: y for y in c.instructions}
        outputs = [((), c.root)]
        if c.root.opcode == "tuple":
            outputs = [
                ((k,), by_name.get(o.name))
                for k, o in enumerate(c.root.operands)
                if not o.path
            ]
        for output, y in outputs:
            if y and y.opcode == "dynamic-update-slice" and not y.operands[0].path:
                source = by_name.get(y.operands[0].name)
                if source and source.opcode == "parameter":
                    yield output, source.parameter


def pair(facts, one, other, how):
    v, w = facts.at.get(one), facts.at.get(other)
    if v and w and v is not w and v.place() == w.place() and v.shape == w.shape:
        yield Alias(v, w, how)
