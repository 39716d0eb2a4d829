"""What compiled modules have reached: opcodes, forms in place, aliases, memory spaces."""

import re

from hunting.lanes import ROOT, unlabeled

# How a program is compiled in place, by what its optimized module has.
FORMS = {
    "state of a loop": r" while\(",
    "result of a conditional": r" conditional\(",
    "call": r" call\(",
    "donated argument": r"input_output_alias=\{",
    "declared alias": r"output_to_operand_aliasing=\{",
    "dynamic-update-slice": r" dynamic-update-slice\(",
    "fusion that ends in an update": r"ROOT [^\n]*\bdynamic-update-slice\([^\n]*\n\}",
    "fusion with an update in a tuple": r"dynamic-update-slice[^\n]*= \([^\n]* fusion\(",
    "fusion that ends in a scatter": r"ROOT [^\n]*\bscatter\([^\n]*\n\}",
    "scatter": r" scatter\(",
    "sort": r" sort\(",
    "sort of several operands": r"= \([^\n]* sort\(",
    "all-reduce": r" all-reduce(-start)?\(",
    "all-reduce of several operands": r"= \([^\n]* all-reduce(-start)?\(",
    "collective-permute": r" collective-permute(-start)?\(",
    "custom call": r" custom-call\([^\n]*output_to_operand_aliasing=\{",
    "fusion with a declared alias": r" fusion\([^\n]*output_to_operand_aliasing=\{",
    "bitcast": r" bitcast\(",
    "opt-barrier": r" opt-barrier\(",
    "asynchronous": r" [a-z-]+-start\(",
}
ALIASES = {
    "may-alias": r"input_output_alias=\{[^\n]*may-alias",
    "must-alias": r"input_output_alias=\{[^\n]*must-alias",
    "several donated arguments": r"input_output_alias=\{ *\{\d*\}: \([^)]*\), *\{",
    "donated argument that no output takes": r"buffer_donor=\{",
    "element of an operand": r"output_to_operand_aliasing=\{[^\n]*: \(\d+, \{\d",
    "element of a result": r"output_to_operand_aliasing=\{\{\d",
    "whole result": r"output_to_operand_aliasing=\{\{\}",
}
TYPES = "pred s4 u4 s8 u8 s16 u16 s32 u32 s64 u64 f8e4m3fn f8e5m2 bf16 f16 f32 f64 c64 c128"
OPCODE = re.compile(r"^  (?:ROOT )?%?[\w.\-]+ = (?:\([^=]*\)|\S+) ([a-z][a-z0-9-]*)\(", re.M)
SPACE = re.compile(r"S\((\d+)\)")
STARTED = re.compile(r" async-start\([^\n]*calls=(%?[\w.\-]+)")
START = re.compile(r" ([a-z-]+)-start\(")
COMMENT = re.compile(r"/\*.*?\*/")


def asynchronous(text):
    """What starts and ends at different steps."""
    for name in set(START.findall(text)) - {"async"}:
        yield name
    for computation in set(STARTED.findall(text)):
        body = re.search(rf"^{re.escape(computation)} .*?^}}", text, re.M | re.S)
        root = re.search(r"ROOT \S+ = (?:\([^=]*\)|\S+) ([a-z-]+)\(", body[0] if body else "")
        if root:
            yield root[1]


def cover(text, coverage):
    text = COMMENT.sub("", text)
    for opcode in set(OPCODE.findall(text)):
        coverage[f"opcode {opcode}"] += 1
    for space in set(SPACE.findall(text)):
        coverage[f"memory space {space}"] += 1
    for what in set(asynchronous(text)):
        coverage[f"async: {what}"] += 1
    for kind in set(re.findall(r"\b([a-z]\w+)\[", text)) & set(TYPES.split()):
        coverage[f"type {kind}"] += 1
    for title, forms in (("in place", FORMS), ("alias", ALIASES)):
        for form, pattern in forms.items():
            if re.search(pattern, text):
                coverage[f"{title}: {form}"] += 1


def wanted():
    """All that a module may have, as far as it is known."""
    text = (ROOT / "lib" / "HLO" / "Opcodes.def").read_text()
    names = re.findall(r'HLOBUF_OPCODE\(\w+, "([^"]+)"', text)
    yield from (f"opcode {name}" for name in names if name != "text")
    yield from (f"in place: {form}" for form in FORMS)
    yield from (f"alias: {form}" for form in ALIASES)
    yield from (f"type {name}" for name in TYPES.split())


# What no module of a target has, and why: as far as campaigns and XLA's sources tell.
STARTS = """all-gather-start, opcode all-gather-done, opcode all-reduce-start,
  opcode all-reduce-done, opcode collective-permute-start, opcode collective-permute-done"""
NEVER = {
    "": {
        "XLA has removed it, or expands it before buffers are assigned": """opcode domain,
          opcode dynamic-reshape, opcode get-dimension-size, opcode set-dimension-size,
          opcode trace, opcode tuple-select, opcode opt-barrier, in place: opt-barrier,
          opcode logistic, opcode cholesky, opcode topk, opcode async-update""",
        "jax does not make it": """opcode batch-norm-grad, opcode batch-norm-inference,
          opcode batch-norm-training, opcode map, opcode infeed, opcode outfeed,
          opcode collective-broadcast, opcode stochastic-convert, opcode scan""",
        "jax makes partitions, not replicas": "opcode replica-id",
        "jax has no such types unless x64 is enabled": "type f64, type c128",
    },
    "cpu": {
        "operations are not split on CPU": f"""in place: asynchronous, async: copy,
          async: all-gather, async: all-reduce, async: all-to-all, async: fusion,
          async: collective-permute, async: reduce-scatter, async: slice,
          async: ragged-all-to-all, opcode async-start, opcode async-done, opcode {STARTS},
          opcode copy-start, opcode copy-done, opcode send, opcode send-done, opcode recv,
          opcode recv-done, opcode after-all, opcode add-dependency""",
        "one memory": """memory space 1, memory space 2, memory space 5, memory space 6,
          memory space 7""",
        "expanded on CPU": """opcode rng, opcode rng-bit-generator, opcode triangular-solve,
          opcode select-and-scatter""",
        "not implemented on CPU": "opcode ragged-all-to-all",
    },
    "cuda": {
        "calls are inlined": "in place: call, opcode call",
        "it is an async-start": f"opcode {STARTS}",
        "memories of a TPU": "memory space 2, memory space 6",
        "expanded, or a call of a library": """opcode rng, opcode rng-bit-generator,
          opcode triangular-solve, opcode convolution, opcode select-and-scatter""",
    },
    "tpu": {
        "calls are inlined": "in place: call, opcode call",
        "complex numbers are pairs": "opcode complex, opcode real, opcode imag",
        "it is a convolution": "opcode dot, opcode ragged-dot, opcode fft",
        "memory of a GPU": "memory space 7",
        "expanded on TPU": "opcode triangular-solve, opcode rng-get-and-update-state",
    },
}


def impossible(target):
    """What cannot be reached for a target: by name, why."""
    found = {}
    for key in ("", unlabeled(target).partition(":")[0]):
        for why, names in NEVER.get(key, {}).items():
            found.update(dict.fromkeys(re.split(r",\s+", names.strip()), why))
    return found
