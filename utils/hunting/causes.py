"""What two findings have in common that are one defect."""

import re

# What the judges say of a program (test/judge/explained.py); one defect has several.
JUDGED = re.compile(
    r", (assignment|not in the schedule|no dump|not judged|right|wrong|not run|caller"
    r"|hangs|crashes|right by luck: .*|hazard: .*|in place, said to be unchecked"
    r"|overwritten, never read.*|returns a parameter.*|reported only.*)$"
)
SILENT = "nothing reported"


def plain(name):
    """A name without its number."""
    return re.sub(r"[.\d]+$", "", name)


def cause_of(row, verdict):
    """(cause, what the judges say)"""
    judged = row["why"] or row["numbers"].split(":")[0]
    shown = [f for f in (verdict or {}).get("findings", []) if f["severity"] != "lint"]
    if "INTERNAL:" in row["numbers"]:  # the compiler, or what it made, found a defect
        error = row["numbers"].partition("INTERNAL:")[2].strip()
        return f"internal error, {SILENT}, {re.sub(r'[0-9]+', 'N', error)[:80]}", judged
    if not shown:
        return f"{row['numbers'].split(':')[0]}, {SILENT}, {row['why']}", judged
    first = shown[0]
    notes = first.get("notes", [])
    known = [
        re.sub(r"may be defect [0-9]+, ([^:]*):.*", r"\1", n["message"]).replace(" ", "-")
        for n in notes
        if n.get("kind") == "known"
    ]
    names = known or sorted({plain(name) for name in first["names"]})
    return ", ".join([first["check"], *names]), judged


def parted(cause):
    """(cause, judged) of a cause as older states have it, with what the judges say."""
    found = None if f", {SILENT}, " in cause else JUDGED.search(cause)
    return (cause[: found.start()], found[1]) if found else (cause, "")


def folder_name(cause):
    return re.sub(r"[^\w,-]+", "-", cause)[:150]


def defect_of(place):
    """The opcodes that are left of the program of a reduced cause; empty where there is
    none."""
    program = place / "reduced.hlo.txt"
    if not program.exists():
        return ""
    opcodes = set(re.findall(r" = (?:\([^\n]*?\)|\S+) ([a-z][a-z-]+)\(", program.read_text()))
    left = opcodes - {"parameter", "constant", "tuple", "get-tuple-element"}
    return ", ".join(sorted(left))
