"""Pages of hlobuf-view to try in a browser, and to take pictures of."""

import itertools
import json
import random
import re
import subprocess

VALUES = 140_000
OPERATIONS = "dot_general mul add exp sub tanh reduce_sum transpose copy select".split()


def large_picture():
    """A picture of VALUES values, first fit over 10,000 steps."""
    chance, steps = random.Random(5), 10_000
    columns = {key: [] for key in ("owner", "offset", "size", "first", "last", "label", "keeper", "shape", "op", "source")}
    names, strings, top = [], ["f32[1024]{0}", "", "train.py:12", *OPERATIONS], 0
    lanes = VALUES // 400
    for lane in range(lanes):
        size = chance.choice((4096, 65536, 1 << 20))
        step = 0
        for _ in range(400):
            last = min(steps - 1, step + chance.randrange(1, 45))
            row = (0, top, size, step, last, 3 + lane % len(OPERATIONS), 1, 0, len(strings), 2)
            for key, value in zip(columns, row):
                columns[key].append(value)
            operation = OPERATIONS[lane % len(OPERATIONS)]
            strings.append(f"jit(step)/jvp(layer_{lane % 24})/attention/{operation}")
            names.append([len(strings)])
            strings.append(f"fusion.{len(names)}")
            step = (last + 1) % steps
        top += size
    changes = [0] * (steps + 1)
    for first, last, size in zip(columns["first"], columns["last"], columns["size"]):
        changes[first] += size
        changes[last + 1] -= size
    held = list(itertools.accumulate(changes))[:steps]
    return {
        "title": "large", "times": "dump", "steps": steps, "untimed": 0,
        "spaces": [{"color": 0, "name": "HBM", "peak": held.index(max(held)), "held": held}],
        "allocations": [{"index": 0, "size": top, "color": 0, "kind": "temp"}],
        "blocks": {**columns, "names": names}, "shared": [], "chip": "",
        "instructions": [1] * steps, "findings": [], "copies": [], "strings": strings,
    }  # fmt: skip


def make_pages(tool, inputs, folder):
    """Writes defect.html, row.html, plain.html, copies.html, too-large.html and large.html."""

    def draw(*arguments):
        subprocess.run([tool, *arguments], check=True)

    draw(inputs / "defect-broadcast-copy", "-o", folder / "defect.html")
    draw(inputs / "defect-shift-row", "-o", folder / "row.html")
    draw(inputs / "clean-tpu-loop", "--capacity=8KiB", "-o", folder / "too-large.html")
    draw(inputs.parent / "diff" / "Inputs" / "plain", "-o", folder / "plain.html")
    draw(inputs.parent / "diff" / "Inputs" / "filled" / "turn", "--checks=-*,module-values", "-o", folder / "copies.html")
    page = (folder / "defect.html").read_text(encoding="utf-8")
    start, end = re.search(r'id="data">(.*?)</script>', page, re.S).span(1)
    large = page[:start] + json.dumps(large_picture()) + page[end:]
    (folder / "large.html").write_text(large, encoding="utf-8")
