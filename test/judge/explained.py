"""Classes of rows: whether the judges agree, and why a row that is not a plain case does.

A row is wrong if its numbers are, or an argument that was not donated has changed, or
the schedule overwrites what is read later. Such a row has to be reported, and no other.
"""

WRONG = ("wrong", "caller", "hangs")

# What is explained, by class; docs/evidence/judge.md says more.
READS_AHEAD = "right by luck: "  # the order of the elements, or equal numbers
HARMLESS = {
    "unread": "overwritten, never read",  # a loop forwards it, and nothing looks at it
    "returned": "returns a parameter",  # nothing is overwritten
}
SAID = "in place, said to be unchecked"


def judge(numbers, hazards, unsure, checks, verdict):
    """(class, whether the judges agree)"""
    kinds = {kind for kind, _ in hazards}
    if numbers.startswith(("failed", "unknown")):
        return "not judged", True
    if verdict is None:
        return "no dump", numbers not in WRONG
    serious = kinds - set(HARMLESS)
    if numbers in WRONG:
        return "assignment" if kinds else "not in the schedule", bool(checks)
    if serious and checks:
        ran = numbers == "right"
        return (READS_AHEAD if ran else "") + ",".join(sorted(serious)), True
    if serious == {"in place"} and "in-place-hazard" in unchecked(verdict):
        return SAID, True
    if serious:
        return "hazard: " + ",".join(sorted(serious)), False
    if kinds:
        return ", ".join(HARMLESS[kind] for kind in sorted(kinds)), True
    if checks:
        return "reported only" + (", schedule unsure" if unsure else ""), False
    return "", True


def unchecked(verdict):
    return {gap["check"] for gap in verdict["not_checked"]}
