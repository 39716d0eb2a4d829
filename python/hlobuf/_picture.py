"""Draws a dump with hlobuf-view."""

from __future__ import annotations

import html
import os
import subprocess
from pathlib import Path

from hlobuf._program import InputError, program

# What a page may do in a notebook: links open pages and editors.
ALLOWED = "allow-scripts allow-popups allow-top-navigation-to-custom-protocols"


class Picture:
    """A buffer assignment as a page of HTML, which notebooks show."""

    def __init__(self, page: str, height: int) -> None:
        self.html = page
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, which needs no other file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe sandbox="{ALLOWED}" style="{style}" srcdoc="{page}"></iframe>'


def plot(
    path: str | os.PathLike[str],
    *,
    pick: str | None = None,
    checks: str | None = None,
    height: int = 700,
) -> Picture:
    """Draws a dump, or the one of a folder whose path contains `pick`.

    The last line of a notebook's cell shows it, `height` pixels high. InputError is
    raised where there is no dump, or more than one.
    """
    operand = os.fspath(path)
    command = [str(program("hlobuf-view")), "--format=html"]
    command += [f"--pick={pick}"] if pick is not None else []
    command += [f"--checks={checks}"] if checks is not None else []
    operand = f"./{operand}" if operand.startswith("-") else operand
    done = subprocess.run([*command, operand], capture_output=True, check=False)
    if done.returncode != 0:
        raise InputError(
            done.stderr.decode(errors="replace").removeprefix("error: ").strip()
        )
    return Picture(done.stdout.decode(errors="replace"), height)
