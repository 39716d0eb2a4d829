"""Verdicts on what jax compiles: functions, executables, everything in a block."""

from __future__ import annotations

import html
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, overload

from hlobuf._picture import Picture, plot
from hlobuf._program import InputError, verify
from hlobuf._report import Copy, Finding, Report, counted, without_folder


class _Folder:
    """A folder that is deleted with this object."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="hlobuf")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


class Verdict(Sequence[Report]):
    """The reports on one or more modules; `assert hlobuf.check(f, x).ok` in a test."""

    def __init__(
        self,
        reports: Sequence[Report] = (),
        missed: int = 0,
        folder: _Folder | None = None,
    ) -> None:
        self.reports = tuple(reports)
        self.missed = missed
        """Compilations of which jax kept nothing."""
        self._folder = folder
        """What was verified; it is deleted with this object."""

    @property
    def ok(self) -> bool:
        """True if something was verified, all was, and nothing has an error."""
        return (
            bool(self.reports) and not self.missed and all(r.ok for r in self.reports)
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of all modules."""
        return tuple(finding for report in self.reports for finding in report.findings)

    @property
    def copies(self) -> tuple[Copy, ...]:
        """What these modules copy in one run, why, and what to change; the most bytes
        first. Reads their dumps again."""
        if not self._folder:
            return ()
        found = verify(self._folder.name, checks="-*", summary=True)
        rows = [copy for report in found for copy in report.copies]
        return tuple(sorted(rows, key=lambda copy: -copy.moved))

    def __len__(self) -> int:
        return len(self.reports)

    @overload
    def __getitem__(self, index: int) -> Report: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Report, ...]: ...

    def __getitem__(self, index: int | slice) -> Report | tuple[Report, ...]:
        return self.reports[index]

    def plot(
        self, *, module: str | None = None, checks: str | None = None, height: int = 700
    ) -> Picture:
        """Draws a module, as plot() does: the one of this name, else the first one with
        findings, else the largest one.

        Raises InputError where there is none.
        """
        named = [r for r in self.reports if module is None or r.module == module]
        found = [report for report in named if report.findings]
        if not named or not self._folder:
            raise InputError(
                f"no module is named {module}"
                if self.reports
                else "nothing was compiled"
            )
        largest = max(named, key=lambda report: Path(report.dump).stat().st_size)
        return plot((found or [largest])[0].dump, checks=checks, height=height)

    def _counts(self) -> str:
        errors = sum(report.errors for report in self.reports)
        warnings = sum(report.warnings for report in self.reports)
        text = counted(len(self.reports), "module") + ", "
        text += counted(errors, "error") + ", " + counted(warnings, "warning")
        return text + (f", {self.missed} not verified" if self.missed else "")

    def __repr__(self) -> str:
        return f"<hlobuf.Verdict: {self._counts()}>"

    def _short(self, text: object) -> str:
        """Without the name of our folder, which says nothing."""
        return (
            without_folder(str(text), self._folder.name) if self._folder else str(text)
        )

    def __str__(self) -> str:
        return self._short("\n".join([*map(str, self.reports), self._counts()]))

    def _repr_html_(self) -> str:
        rows = [f"<b>hlobuf: {self._counts()}</b>"]
        for report in self.reports:
            mark = "&#10003;" if report.ok else "&#10007;"
            proved = "proved: " + (", ".join(report.proved) or "nothing")
            rows.append(f"{mark} <code>{html.escape(report.module)}</code>, {proved}")
            texts = [*report.findings, *filter(None, [report.input_error])]
            rows += [f"<pre>{html.escape(self._short(text))}</pre>" for text in texts]
        return "<br>".join(rows)


def check(target: Any, *args: Any, checks: str | None = None, **kwargs: Any) -> Verdict:
    """Verifies what `target` compiles to.

    A function, jitted or not, is compiled for `args` and `kwargs`, which may be arrays
    or jax.ShapeDtypeStruct, and not run. XLA dumps that one program into a folder that
    is gone afterwards: the full verdict. So is what `f.lower(...)` returns. Of what is
    compiled already, `f.lower(...).compile()`, the executable is read: see the page
    on protos for what that can prove. `checks` is as in verify().

    Raises InputError where this release of jax keeps nothing to verify.
    """
    target = _unwrapped(target)
    if hasattr(target, "runtime_executable"):
        return _check_compiled(target, checks)
    if not hasattr(target, "compile"):
        if not hasattr(target, "lower"):
            import jax  # type: ignore[import-not-found,unused-ignore]

            target = jax.jit(target)
        target = _unwrapped(target.lower(*args, **kwargs))
    folder = _Folder()
    options = {"xla_dump_to": folder.name, "xla_dump_hlo_as_text": True}
    compiled = target.compile(compiler_options=options)
    if any(Path(folder.name).glob("*-buffer-assignment.txt")):
        return Verdict(verify(folder.name, checks=checks), folder=folder)
    # Taken from the compilation cache, or a release that dumps nothing so.
    return _check_compiled(compiled, checks)


def _unwrapped(target: Any) -> Any:
    """Equinox and Flax wrap what jax returns from lower() and compile()."""
    for name, method in (("compiled", "runtime_executable"), ("lowered", "compile")):
        inner = getattr(target, name, None)
        if hasattr(inner, method):
            return inner
    return target


def _serialized(compiled: Any) -> bytes:
    executable = compiled.runtime_executable()
    ways: tuple[Callable[[], Any], ...] = (
        lambda: executable.serialize(),
        # jax until 2025
        lambda: executable.client.serialize_executable(executable),
    )
    for serialize in ways:
        try:
            return bytes(serialize())
        except Exception as error:  # jaxlib raises errors of its own
            last = error
    raise InputError(f"jax cannot serialize this executable: {last}")


def _check_compiled(compiled: Any, checks: str | None) -> Verdict:
    folder = _Folder()
    file = Path(folder.name, "compiled.executable")
    file.write_bytes(_serialized(compiled))
    reports = verify(file, checks=checks)
    if reports and reports[0].status == "unreadable":
        raise InputError(
            reports[0].input_error or "the executable holds no buffer assignment"
        )
    return Verdict(reports, folder=folder)


# What makes jax keep every executable that it compiles.
_KEEP_ALL = {
    "jax_enable_compilation_cache": True,
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
    "jax_persistent_cache_enable_xla_caches": "none",
}
_COMPILED = "/jax/core/compile/backend_compile_duration"
_CACHE_HIT = "/jax/compilation_cache/cache_hits"
_CACHE_WRITE = "/jax/compilation_cache/cache_misses"  # that jax stores, not all misses
_blocks: list[Counter[str]] = []
"""Events of each block that is open; the innermost one is the last."""
_listening = False


def _count(event: str, *_: Any, **__: Any) -> None:
    if _blocks:
        _blocks[-1][event] += 1


class Capture(Verdict):
    """What was compiled inside `with hlobuf.capture() as captured:`; the reports are
    there at its end."""


@contextmanager
def capture(*, checks: str | None = None) -> Iterator[Capture]:
    """Verifies what jax compiles inside the block, in this process, at its end.

    jax's compilation cache leads into a folder that is gone with the verdict. What was
    compiled before the block, and is still in memory, is not compiled again.
    `captured.missed` counts compilations that jax does not cache, such as those with
    callbacks into Python; they are not verified, and `captured.ok` is False then. What
    is compiled in a block inside of another one belongs to the inner one.
    """
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.monitoring  # type: ignore[import-not-found,unused-ignore]
    from jax.experimental.compilation_cache import (  # type: ignore[import-not-found,unused-ignore]
        compilation_cache,
    )

    global _listening
    if not _listening:
        jax.monitoring.register_event_duration_secs_listener(_count)
        jax.monitoring.register_event_listener(_count)
        _listening = True
    folder = _Folder()
    captured = Capture(folder=folder)
    new: dict[str, Any] = {"jax_compilation_cache_dir": folder.name, **_KEEP_ALL}
    old = {name: getattr(jax.config, name) for name in new if hasattr(jax.config, name)}
    events: Counter[str] = Counter()
    _configure(jax.config.update, {name: new[name] for name in old})
    compilation_cache.reset_cache()
    _blocks.append(events)
    try:
        yield captured
    finally:
        _blocks.pop()
        _configure(jax.config.update, old)
        compilation_cache.reset_cache()
    entries = sorted(Path(folder.name).glob("*-cache"))
    # The second of two equal programs is taken from the cache, or, where that
    # cannot be loaded, compiled and stored again.
    kept = events[_CACHE_HIT] + events[_CACHE_WRITE]
    captured.missed = max(0, events[_COMPILED] - kept)
    if entries:
        captured.reports = tuple(verify(entries, checks=checks))


def _configure(update: Callable[[str, Any], None], values: dict[str, Any]) -> None:
    for name, value in values.items():
        update(name, value)
