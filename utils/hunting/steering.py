"""Which blocks of varied programs are wanted: those whose targets were reached least."""

import ast
import functools
import math
import re

from hunting.lanes import ROOT

SOURCES = ROOT / "test" / "judge"
LEAST = 0.02  # the weight of a block whose targets are reached everywhere


@functools.cache
def targets():
    """By block, what it is meant to reach; from the sources, which need jax to run."""
    found = {}
    for path in sorted(SOURCES.glob("blocks*.py")):
        for node in ast.parse(path.read_text()).body:
            for call in getattr(node, "decorator_list", ()):
                if getattr(getattr(call, "func", None), "id", "") == "block":
                    texts = ", ".join(each.value for each in call.args)
                    found[node.name] = re.split(r",\s+", texts.strip())
    return found


def weights(coverage, impossible):
    """The weight of each block, given how many modules of the target have what."""
    out = {}
    for name, reaches in targets().items():
        able = [coverage.get(what, 0) for what in reaches if what not in impossible]
        # A block that does not reach its target is tried less and less.
        seen = min(able, default=0) + coverage.get(f"block {name}", 0) / 10
        out[name] = max(LEAST, round(1 / math.sqrt(1 + seen), 3))
    return out


def argument(coverage, impossible):
    found = sorted(weights(coverage, impossible).items())
    return ",".join(f"{name}={weight}" for name, weight in found)
