"""Verifies XLA buffer-assignment dumps.

    import hlobuf

    for report in hlobuf.verify(["/tmp/dumps"]):
        if not report.ok:
            print(report)

Everything is done by the program hlobuf-verify, which comes with this package.
"""

from hlobuf._program import Trouble, json_lines, program, run, verify
from hlobuf._report import SCHEMA, Finding, Gap, Note, Place, Report

__all__ = [
    "SCHEMA",
    "Finding",
    "Gap",
    "Note",
    "Place",
    "Report",
    "Trouble",
    "json_lines",
    "program",
    "run",
    "verify",
]
