"""What hlobuf-verify says about a dump, from its JSON."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = 1
"""The version of the JSON that this package reads."""


@dataclass(frozen=True)
class Place:
    """A place in a file. Lines and columns count from 1, columns in bytes."""

    file: str
    line: int
    column: int
    end_column: int
    """The column after the last one."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Note:
    """A further place that a finding is about."""

    message: str
    place: Place | None = None

    def __str__(self) -> str:
        return _at(self.place) + "note: " + self.message


@dataclass(frozen=True)
class Finding:
    """Something that a check says."""

    check: str
    severity: str
    """`error`, `warning` or `lint`."""
    message: str
    fingerprint: str
    """The same in another dump of the same module."""
    place: Place | None = None
    notes: tuple[Note, ...] = ()
    timeline: tuple[str, ...] = ()
    """Its notes step by step, in aligned columns, for people; empty if it has none."""

    def __str__(self) -> str:
        first = f"{_at(self.place)}{self.severity}: {self.message} [{self.check}]"
        return in_cells("\n".join([first, *(self.timeline or map(str, self.notes))]))


@dataclass(frozen=True)
class Gap:
    """A check that could not run, and why."""

    check: str
    reason: str
    required: bool = False
    """`require` names the check: the dump has errors because it could not run."""
    kind: str = "not-checked"
    """`not-applicable` where the dump has nothing that the rule could be about."""
    missing: str = ""
    """The file that would have made it run, where one is missing: `module`."""

    def __str__(self) -> str:
        if self.required:
            return f"error: required check could not run: {self.reason} [{self.check}]"
        return f"not checked: {self.reason} [{self.check}]"


@dataclass(frozen=True)
class Sentence:
    """What the checks prove together: see the page on verdicts."""

    status: str
    """`proved`, `not shown` or `broken`."""
    because: tuple[str, ...] = ()
    """Why it is not shown, or the checks that found it broken."""
    given: str = ""
    """What the proof rests on that is not proved itself."""
    extent: str = ""
    """How much was looked at, for people."""

    def __bool__(self) -> bool:
        return self.status == "proved"

    def __str__(self) -> str:
        text = self.status + (f" ({self.extent})" if self.extent else "")
        text += f" (on {self.given})" if self.given else ""
        return text + (": " + ", ".join(self.because) if self.because else "")


SENTENCES = {
    "no_overlap": "no overlap",
    "execution": "execution",
    "agreement": "agreement",
    "program": "the program that runs",
    "consistency": "consistency",
}
"""The keys of a verdict, in its order, and what they are called."""


@dataclass(frozen=True)
class Copy:
    """Copies with one cause, in one run of a program."""

    names: tuple[str, ...]
    """The instructions, in the order in which they run."""
    cause: str
    """`reader`, `undonated` and so on: see the page on memory."""
    what: str
    """What is copied: `argument x`."""
    bytes: int
    """What the largest of them writes each time."""
    moved: int
    """What all of them read and write in one run."""
    runs: int
    """How often they run; where branches differ, at most."""
    why: str
    change: str
    """What to change; empty if there is nothing."""
    source: str = ""

    def __str__(self) -> str:
        lines = [
            f"{_human(self.moved)}  {_human(self.bytes)} x {self.runs}  "
            f"{', '.join(self.names)}: {self.what}  [{self.cause}]",
            "    " + self.why,
        ]
        if self.change:
            lines.append("    -> " + self.change)
        return in_cells("\n".join(lines))


@dataclass(frozen=True)
class Report:
    """The verdict on one dump."""

    dump: str
    module: str
    status: str
    """`sound`, `errors` or `unreadable`."""
    errors: int = 0
    """How many, with the required checks that could not run; of one check 1000 are
    listed in `findings` at most."""
    warnings: int = 0
    suppressed: int = 0
    baselined: int = 0
    verified: int = 0
    """How many checks ran to their end."""
    verdict: Mapping[str, Sentence] = field(default_factory=dict)
    """`no_overlap`, `execution`, `agreement`, `program` and `consistency`."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files of the dump by what they are: `assignment`, `module` and so on."""
    not_checked: tuple[Gap, ...] = ()
    unused_files: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: Mapping[str, Any] | None = None
    """The memory summary, if it was asked for."""
    input_error: str = ""
    """Why the dump could not be read."""

    @property
    def ok(self) -> bool:
        """True if the dump was read and has no error."""
        return self.status == "sound"

    @property
    def copies(self) -> tuple[Copy, ...]:
        """What the program copies, the most bytes first; of a summary."""
        return tuple(
            Copy(
                names=tuple(row["names"]),
                cause=row["cause"],
                what=row.get("what", ""),
                bytes=row["bytes"],
                moved=row["read_bytes"] + row["written_bytes"],
                runs=row["runs"]["most"],
                why=row.get("why", ""),
                change=row.get("change", ""),
                source=row.get("source", ""),
            )
            for row in (self.summary or {}).get("copies", ())
        )

    @property
    def proved(self) -> tuple[str, ...]:
        """The sentences that are proved, as the last line names them."""
        return tuple(name for key, name in SENTENCES.items() if self.verdict.get(key))

    def __str__(self) -> str:
        """The findings, and the required checks that could not run, as text, then a
        line with the number of findings and what was proved."""
        if self.input_error:
            return f"{self.dump}: {self.input_error}"
        missing = [f"{self.dump}: {gap}" for gap in self.not_checked if gap.required]
        last = f"{self.dump}: {counted(self.errors, 'error')}, "
        last += counted(self.warnings, "warning")
        if self.proved:
            last += "; proved: " + ", ".join(self.proved)
        return "\n".join([*map(str, self.findings), *missing, last])

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Report:
        """A report from a line of JSON, parsed. Unknown keys are left out."""
        if data.get("schema") != SCHEMA:
            raise ValueError(f"JSON of schema {data.get('schema')}, not {SCHEMA}")
        return cls(
            dump=data["dump"],
            module=data.get("module", ""),
            status=data["status"],
            errors=data.get("errors", 0),
            warnings=data.get("warnings", 0),
            suppressed=data.get("suppressed", 0),
            baselined=data.get("baselined", 0),
            verified=data.get("verified", 0),
            verdict={
                key: Sentence(
                    each["status"],
                    tuple(each["because"]),
                    each.get("given", ""),
                    each.get("extent", ""),
                )
                for key, each in data.get("verdict", {}).items()
            },
            files=dict(data.get("files", {})),
            not_checked=tuple(
                Gap(
                    gap["check"],
                    gap["reason"],
                    gap.get("required", False),
                    gap.get("class", "not-checked"),
                    gap.get("missing", ""),
                )
                for gap in data.get("not_checked", ())
            ),
            unused_files=tuple(data.get("unused_files", ())),
            findings=tuple(_finding(each) for each in data.get("findings", ())),
            summary=data.get("summary"),
            input_error=data.get("input_error", ""),
        )


def in_cells(text: str) -> str:
    """`text`, where lines of a notebook's files, which nobody has seen, are those of its
    cells: `cell 3, line 1`."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # By file: the number of the cell (IPython 8 and 9).
    files: Any = getattr(getattr(shell, "compile", None), "_filename_map", {})
    for file, number in files.items():
        path = Path(file)
        names = {file, f"{path.parent.name}/{path.name}", path.name}
        for name in sorted(names, key=len, reverse=True):
            pattern = rf"(?<![\w/.-]){re.escape(name)}:(\d+)"
            text = re.sub(pattern, rf"cell {number}, line \1", text)
    return text


def without_folder(text: str, folder: str) -> str:
    """`text` with short names of files in `folder`, but in commands, which need all."""
    return "\n".join(
        line if line.startswith("  next:") else line.replace(f"{folder}{os.sep}", "")
        for line in text.split("\n")
    )


def counted(number: int, noun: str) -> str:
    """`1 error` or `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _human(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            break
        size /= 1024
    else:
        unit = "TiB"
    return f"{size:.0f}{unit}" if unit == "B" else f"{size:.2f}{unit}"


def _at(place: Place | None) -> str:
    return f"{place}: " if place else ""


def _place(data: Mapping[str, Any]) -> Place | None:
    if "line" not in data:
        return None
    return Place(data["file"], data["line"], data["column"], data["end_column"])


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(
        check=data["check"],
        severity=data["severity"],
        message=data["message"],
        fingerprint=data["fingerprint"],
        place=_place(data),
        notes=tuple(
            Note(note["message"], _place(note)) for note in data.get("notes", ())
        ),
        timeline=tuple(data.get("timeline", ())),
    )
