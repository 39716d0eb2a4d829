"""Verifies XLA buffer-assignment dumps.

    import hlobuf

    for report in hlobuf.verify(["/tmp/dumps"]):
        if not report.ok:
            print(report)

    assert hlobuf.check(jax.jit(step), x).ok
    print(*hlobuf.check(step, x).copies, sep="\\n")

Everything is done by the program hlobuf-verify, which comes with this package.
"""

import importlib.metadata

from hlobuf._budget import budget
from hlobuf._live import Capture, Verdict, capture, check
from hlobuf._picture import Picture, plot
from hlobuf._program import InputError, json_lines, program, run, verify
from hlobuf._report import SCHEMA, Copy, Finding, Gap, Note, Place, Report, Sentence

try:
    __version__ = importlib.metadata.version("hlobuf")
except importlib.metadata.PackageNotFoundError:  # a clone that is not installed
    __version__ = "unknown"

__all__ = [
    "Capture",
    "Copy",
    "Verdict",
    "capture",
    "check",
    "SCHEMA",
    "Finding",
    "Gap",
    "Note",
    "Picture",
    "Place",
    "Report",
    "Sentence",
    "InputError",
    "__version__",
    "budget",
    "json_lines",
    "plot",
    "program",
    "run",
    "verify",
]
