"""Finds hlobuf-verify and runs it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from hlobuf._report import Report

NAME = "hlobuf-verify"
# Linux takes 2 MiB of arguments by default, other systems less.
LONGEST_COMMAND = 100_000


class InputError(Exception):
    """hlobuf-verify could not do what it was asked to: no verdict was reached."""


def program(name: str = NAME) -> Path:
    """hlobuf-verify, or the tool `name`, that was installed with this package, or that
    is on PATH."""
    try:
        installed = importlib.metadata.files("hlobuf") or []
    except importlib.metadata.PackageNotFoundError:
        installed = []
    candidates = [Path(str(f.locate())) for f in installed if f.name == name]
    # `pip install --target` moves the scripts without saying so.
    candidates.append(Path(__file__).parent.parent / "bin" / name)
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    on_path = shutil.which(name)
    if not on_path:
        raise InputError(f"{name} is neither installed with this package nor on PATH")
    return Path(on_path)


def run(arguments: Sequence[str]) -> int:
    """Runs hlobuf-verify on our own standard streams; returns its exit status."""
    return subprocess.run([program(), *arguments], check=False).returncode


def json_lines(arguments: Sequence[str]) -> list[str]:
    """Runs hlobuf-verify with these arguments; returns its JSON, a line a dump.

    Raises InputError if it could not start or was called wrongly. What it was told to
    read and could not is one of the lines, with the status `unreadable`.
    """
    lines, error = _json_lines(arguments)
    if error and not any(_unreadable(line) for line in lines):
        raise InputError(error)
    return lines


def verify(
    paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    checks: str | None = None,
    warnings_as_errors: str | None = None,
    require: str | None = None,
    config: str | os.PathLike[str] | None = None,
    baseline: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    jobs: int | None = None,
    summary: bool = False,
    max_peak: str | Iterable[str] = (),
    allow_unmatched: bool = False,
) -> list[Report]:
    """Verifies files, and all dumps in folders: a report for each dump.

    The keywords are the options of hlobuf-verify of the same names. What cannot be
    read has a report that says so; InputError is raised as json_lines does it.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    operands = [_operand(path) for path in paths]
    if not operands:
        raise InputError("no files or folders to verify")
    options = {
        "checks": checks,
        "warnings-as-errors": warnings_as_errors,
        "require": require,
        "config": config,
        "baseline": baseline,
        "shard": shard,
        "jobs": jobs,
    }
    arguments = [f"--{name}={_text(o)}" for name, o in options.items() if o is not None]
    limits = [max_peak] if isinstance(max_peak, str) else max_peak
    arguments += [f"--max-peak={limit}" for limit in limits]
    if summary:
        arguments.append("--summary")
    if allow_unmatched:
        arguments.append("--allow-unmatched")
    lines = json_lines([*arguments, *operands])
    return [Report.from_json(json.loads(line)) for line in lines]


def _text(option: str | int | os.PathLike[str]) -> str:
    return str(option) if isinstance(option, int) else os.fspath(option)


def _operand(path: str | os.PathLike[str]) -> str:
    """A path that cannot be taken for an option, standard input or a list."""
    text = os.fspath(path)
    return "./" + text if text.startswith(("-", "@")) else text


def _json_lines(arguments: Sequence[str]) -> tuple[list[str], str]:
    """The lines, and if the exit status says that something went wrong, what."""
    command = ["--format=json", *arguments]
    with tempfile.NamedTemporaryFile(
        "w", suffix=".args", errors="surrogateescape"
    ) as f:
        if sum(len(argument) + 1 for argument in command) > LONGEST_COMMAND:
            f.write("\n".join(_quoted(argument) for argument in command))
            f.flush()
            command = ["@" + f.name]
        done = subprocess.run(
            [program(), *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    lines = done.stdout.split("\n")[:-1]
    if done.returncode in (0, 1):
        return lines, ""
    return lines, done.stderr.strip() or f"{NAME} ended with {done.returncode}"


def _quoted(argument: str) -> str:
    return '"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unreadable(line: str) -> bool:
    return line.startswith("{") and json.loads(line)["status"] == "unreadable"
