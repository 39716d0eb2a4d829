"""The files of one made-up dump, written from a short description.

The dumps need not be sound: they must be readable enough for the part of the
tool that is measured to run.
"""

import os

STEM = "module_0001.jit_f.cpu_after_optimizations"
TAILS = {
    "assignment": "-buffer-assignment.txt",
    "values": "-buffer-assignment-values.txt",
    "live": "-live-range.txt",
    "report": "-memory-usage-report.txt",
    "module": ".txt",
}


def write(folder, **texts):
    """Writes the files of one dump; the names of TAILS give the texts."""
    os.makedirs(folder, exist_ok=True)
    for key, text in texts.items():
        with open(os.path.join(folder, STEM + TAILS[key]), "w") as out:
            out.write(text)
    return folder


def tuple_shape(element, count):
    """A tuple of equal elements as XLA prints it, with index comments."""
    parts = (
        f"/*index={i}*/{element}" if i and i % 5 == 0 else element for i in range(count)
    )
    return "(" + ", ".join(parts) + ")"


def module(entry, computations="", alias=""):
    """A scheduled module around the lines of its entry computation."""
    return (
        f"HloModule jit_f, is_scheduled=true{alias}\n\n{computations}"
        "ENTRY %main.1 (a.1: f32[8]) -> f32[8] {\n" + entry + "}\n"
    )


def value_line(number, name, size=32, offset=0, shape="f32[8]{0}"):
    return f" value: <{number} {name} @0> (size={size},offset={offset}): {shape}\n"


def allocations(values, temp=False):
    """One allocation for each (name, size, shape); without `temp` live out."""
    kind = "preallocated-temp" if temp else "maybe-live-out"
    return "BufferAssignment:\n" + "".join(
        f"allocation {i}: size {size}, page 0, {kind}:\n"
        + value_line(i, name, size, 0, shape)
        for i, (name, size, shape) in enumerate(values)
    )


def plain(names, shape="f32[8]{0}", size=32):
    return allocations([(name, size, shape) for name in names])


def used(entries, total=32):
    """The values file; an entry is (tag, positions, uses, text)."""
    text = f"\nTotal bytes used: {total} ({total}B)\n\nUsed values:\n"
    for tag, positions, uses, instruction in entries:
        text += f"{tag}\n positions:\n"
        text += "".join(f"  {position}\n" for position in positions)
        text += " uses:\n" + ("".join(f"  {use}\n" for use in uses) or "  (none)\n")
        text += f" from instruction: {instruction}\n"
    return text


def live(names, ranges=None, peak=()):
    """The live range file: a step for each name, and its range."""
    ranges = ranges or [(name + "{}", i, i + 1) for i, name in enumerate(names)]
    text = f"HloLiveRange (max {len(names)}):\n  InstructionSequence:\n"
    text += "".join(f"    {i}:{name}\n" for i, name in enumerate(names))
    text += "  BufferLiveRange:\n"
    text += "".join(f"    {name}:{begin}-{end}\n" for name, begin, end in ranges)
    text += f"  Live ranges at {max(len(names) - 1, 0)} (peak):\n"
    total = 0
    for name, size in peak:
        total += size
        text += f"    {name}: {size} bytes (cumulative: {total} bytes)\n"
    return text
