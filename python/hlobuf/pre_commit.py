"""The pre-commit hook: hlobuf-verify on the changed files that belong to dumps.

hlobuf-verify takes a sibling for the assignment that it belongs to, and refuses
one that belongs to none. A repository may well hold HLO modules or memory
reports on their own, and a commit must not fail because of them.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

from hlobuf._program import InputError, run

SIBLING = re.compile(
    r"(-buffer-assignment-values|-live-range|-memory-usage-report"
    r"|_after_buffer_assignment|(?<=after_optimizations))\.txt(\.gz|\.zst)?$"
)


def is_alone(path: str) -> bool:
    """True for a sibling without an assignment next to it."""
    sibling = SIBLING.search(path)
    if not sibling:
        return False
    stem = path[: sibling.start()]
    return not any(
        os.path.exists(stem + tail + compression)
        for tail in ("-buffer-assignment.txt", ".buffer_assignment")
        for compression in ("", ".gz", ".zst")
    )


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    kept = [each for each in given if not is_alone(each)]
    if given and all(each.startswith("-") for each in kept):
        return 0
    try:
        # A commit need not change everything that budgets are about.
        return run(["--allow-unmatched", *kept])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
