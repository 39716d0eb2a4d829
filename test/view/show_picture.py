"""show_picture.py PICTURE: what a picture shows, and whether it agrees with itself.

PICTURE is the JSON of hlobuf-view, or a page.
"""

import json
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(page[1] if page else text)


def held_bytes(picture, color, step):
    """Bytes of the memory space that are held: whole allocations but temps, and of
    those the bytes of some block, each once."""
    allocations, blocks = picture["allocations"], picture["blocks"]
    total = sum(
        each["size"]
        for each in allocations
        if each["color"] == color and each["kind"] not in ("temp", "thread-local")
    )
    spans = sorted(
        (owner, offset, offset + size)
        for owner, offset, size, first, last in zip(
            *(blocks[key] for key in ("owner", "offset", "size", "first", "last"))
        )
        if first <= step <= last
        and allocations[owner]["color"] == color
        and allocations[owner]["kind"] == "temp"
    )
    owner_before, covered = None, 0
    for owner, begin, end in spans:
        covered = covered if owner == owner_before else 0
        total += max(0, end - max(begin, covered))
        owner_before, covered = owner, max(covered, end)
    return total


def counted_temps(picture, color, step):
    """The bytes of live temps as the page adds them up: each block without the bytes
    that another one counts."""
    allocations, blocks = picture["allocations"], picture["blocks"]
    missing = {block: n for block, first, last, n in picture["shared"] if first <= step <= last}
    return sum(
        size - missing.get(i, 0)
        for i, (owner, size, first, last) in enumerate(
            zip(*(blocks[key] for key in ("owner", "size", "first", "last")))
        )
        if first <= step <= last
        and allocations[owner]["color"] == color
        and allocations[owner]["kind"] == "temp"
    )


def main():
    picture = read(sys.argv[1])
    strings, blocks = picture["strings"], picture["blocks"]
    print("times", picture["times"], "steps", picture["steps"])
    for space in picture["spaces"]:
        held = [held_bytes(picture, space["color"], s) for s in range(picture["steps"])]
        if picture["times"] != "unknown":
            assert held == space["held"], (space["name"], held, space["held"])
            assert held.index(max(held)) == space["peak"], space
            fixed = sum(
                each["size"]
                for each in picture["allocations"]
                if each["color"] == space["color"] and each["kind"] not in ("temp", "thread-local")
            )
            for step, total in enumerate(held):
                assert counted_temps(picture, space["color"], step) == total - fixed, step
        print(space["name"], "peak", max(held), "at step", space["peak"])
    columns = {key: len(column) for key, column in blocks.items()}
    assert len(set(columns.values())) == 1, columns
    print("aliases", sum(len(names) > 1 for names in blocks["names"]))
    for names, *texts in zip(*(blocks[key] for key in ("names", "label", "shape", "op", "source"))):
        print(" = ".join(strings[name] for name in names), *(strings[text] for text in texts))
    for finding in picture["findings"]:
        marks = "; ".join(
            f"bytes [{m['begin']}, {m['end']}) of allocation {m['owner']}, "
            f"steps {m['first']} to {m['last']}{', crossing' * m['crossing']}"
            for m in finding["marks"]
        )
        print(f"{finding['severity']} {finding['check']}: {marks}")
        for line in finding["lines"]:
            print(line)
    for copy in picture["copies"]:
        print(copy["bytes"], "bytes in one run:", copy["title"])
        print(" ", copy["why"])
        print(" ", copy["change"])
        for block, step in copy["marks"]:
            assert blocks["first"][block] <= step <= blocks["last"][block], copy
            print(f"  at step {step}:", " = ".join(strings[name] for name in blocks["names"][block]))


main()
