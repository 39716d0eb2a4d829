"""What pytest --hlobuf does.

XLA dumps into a folder of this session, in place of one that XLA_FLAGS names. After
each part of a test (setup, call, teardown) the dumps that are new are verified, and
errors in them fail the test. Dumps with findings stay, for a look at them; the
others are deleted.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hlobuf import InputError, Report, verify
from hlobuf._budget import MARK
from hlobuf._report import counted, without_folder

CONFIG = ".hlobuf.yaml"
FLAG = "--xla_dump_to="
PREFIX = "hlobuf-pytest-"
DUMP = re.compile(r"(-buffer-assignment\.txt|\.buffer_assignment)$")


class Verifier:
    """One session's dumps."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.seen: dict[str, tuple[int, int]] = {}
        self.modules = self.errors = self.warnings = 0
        self.late: list[str] = []
        # A compilation cache would spare XLA the compilation, and us the dump.
        os.environ.setdefault("JAX_ENABLE_COMPILATION_CACHE", "false")
        self.set_flags()

    def set_flags(self) -> None:
        """Asks XLA for dumps. XLA reads its flags when it compiles first; until
        then the tests themselves may replace them."""
        ours = f"{FLAG}{self.folder} --xla_dump_hlo_as_text"
        flags = os.environ.get("XLA_FLAGS", "")
        if flags and not flags.startswith("-"):  # the name of a file of flags
            flags = Path(flags).read_text(encoding="utf-8")
        if ours not in flags:
            kept = [flag for flag in flags.split() if not flag.startswith(FLAG)]
            os.environ["XLA_FLAGS"] = " ".join([*kept, ours])

    def new_dumps(self) -> list[Path]:
        """The dumps that were written, or written again, since the last call."""
        dumps = []
        for path in sorted(self.folder.iterdir()):
            if DUMP.search(path.name):
                status = path.stat()
                stamp = (status.st_mtime_ns, status.st_size)
                if self.seen.get(path.name) != stamp:
                    self.seen[path.name] = stamp
                    dumps.append(path)
        return dumps

    def findings(self, item: pytest.Item | None = None) -> str:
        """Verifies what is new, with the budgets of `item`; returns the errors in
        it as text."""
        dumps = self.new_dumps()
        if not dumps:
            return ""
        config = self.config.rootpath / CONFIG
        marks = item.iter_markers(MARK) if item else ()
        reports = verify(
            dumps,
            config=config if config.is_file() else None,
            max_peak=[mark.args[0] for mark in marks],
            # A test need not compile everything that the configuration is about.
            allow_unmatched=True,
        )
        self.modules += len(reports)
        self.errors += sum(max(each.errors, not each.ok) for each in reports)
        self.warnings += sum(each.warnings for each in reports)
        for report in reports:
            if report.ok and not report.warnings:
                self.delete(report)
        return "\n".join(self.text_of(report) for report in reports if not report.ok)

    def text_of(self, report: Report) -> str:
        """Short names suffice: it says first where the dumps are."""
        broken = any(each.check != "memory-budget" for each in report.findings)
        what = "is broken" if broken else "is over its budget"
        text = f"hlobuf: {report.module} {what}, its dump is in {self.folder}\n"
        return text + without_folder(str(report), str(self.folder))

    def delete(self, report: Report) -> None:
        """All that XLA wrote about a module: large test suites compile many."""
        name = Path(report.dump).name
        self.seen.pop(name, None)
        stem = re.match(r"module_\d+\.[^.]*\.", name)
        if stem:
            for path in self.folder.glob(stem[0].replace("[", "[[]") + "*"):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()

    def fail_on_findings(self, item: pytest.Item) -> None:
        text = self.findings(item)
        if text:
            pytest.fail(text, pytrace=False)

    def pytest_report_header(self) -> str:
        return f"hlobuf: XLA dumps into {self.folder}"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        self.set_flags()
        text = self.findings()
        if text and report.outcome == "passed":
            report.outcome = "failed"
            report.longrepr = text
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(
        self, item: pytest.Item
    ) -> Generator[None, object, object]:
        self.set_flags()
        result = yield
        self.fail_on_findings(item)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        result = yield
        self.fail_on_findings(item)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item
    ) -> Generator[None, object, object]:
        result = yield
        self.fail_on_findings(item)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        try:
            text = self.findings()  # of threads that outlived their tests
        except InputError as error:
            text = f"hlobuf: {error}"
        if text:
            self.late.append(text)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        output = getattr(self.config, "workeroutput", None)
        if output is not None:  # we are one of xdist's workers
            counts = self.modules, self.errors, self.warnings
            output["hlobuf"] = (*counts, self.late)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist ends."""
        counts = getattr(node, "workeroutput", {}).get("hlobuf")
        if counts:
            self.modules += counts[0]
            self.errors += counts[1]
            self.warnings += counts[2]
            self.late += counts[3]

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        write = terminalreporter.write_line
        for text in self.late:
            terminalreporter.section("hlobuf")
            write(text)
        if not self.modules:
            write("hlobuf: XLA compiled nothing, or ran before it was asked for dumps")
            return
        write(
            f"hlobuf: {counted(self.modules, 'module')} verified,"
            f" {counted(self.errors, 'error')}, {counted(self.warnings, 'warning')}"
        )
        if self.warnings:
            write(f"hlobuf: dumps with warnings are in {self.folder}")

    def pytest_unconfigure(self) -> None:
        if self.errors or self.warnings:
            with contextlib.suppress(OSError):  # it is not empty
                self.folder.rmdir()
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
