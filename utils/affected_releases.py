"""Which releases are affected by the defect of a report of `hlobuf-reduce --report`.

Releases are sorted, and the first, the last and the one of the report are tried. Between
two that differ, the one in the middle is next, until neighbors differ: releases between
two that agree are not compiled.
"""

import dataclasses
import json
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKER = ROOT / "python" / "hlobuf" / "_compile_worker.py"
SECTION = re.compile(r"\n## Releases\n.*?(?=\n## |\Z)", re.S)
# What the releases of a platform are called.
KINDS = {"cpu": "jaxlib", "tpu": "libtpu", "cuda": "jax-cuda12"}


@dataclasses.dataclass
class Report:
    """What a folder for a bug report says."""

    folder: Path
    target: str
    versions: str
    checks: set
    ran: bool

    @property
    def kind(self):
        return KINDS[self.target.partition(":")[0]]


def read_report(folder):
    """The report in a folder; a message if there is none."""
    page, program = folder / "report.md", folder / "program.hlo.txt"
    if not page.is_file() or not program.is_file():
        raise SystemExit(f"{folder}: no report.md and program.hlo.txt of hlobuf-reduce")
    text = page.read_text(encoding="utf-8")
    found = re.search(r"is miscompiled for `([^`]*)` by (.*)\.\n", text)
    if not found or found[1].partition(":")[0] not in KINDS:
        raise SystemExit(f"{page}: it does not say what the program was compiled for")
    verdict = (folder / "verdict.txt").read_text(encoding="utf-8")
    checks = set(re.findall(r" error: .* \[([a-z-]+)\]$", verdict, re.M))
    return Report(folder, found[1], found[2], checks, "numbers are wrong" in text)


def version_key(release):
    return [int(n) for n in re.findall(r"\d+", release.rpartition(" ")[2])]


@dataclasses.dataclass
class State:
    """What one release makes of the program: None for affected if that is not known."""

    affected: bool | None
    text: str


def ask(worker, line):
    """The answer of a compile worker to a line; empty once it has ended."""
    try:
        print(line, file=worker.stdin, flush=True)
    except BrokenPipeError:
        return ""
    return worker.stdout.readline().strip()


def compile_program(report, python, folder):
    """The worker's answer: `ok`, `wrong 3 of 4 ..` or `failed WHY`."""
    command = [python, "-c", WORKER.read_text(encoding="utf-8"), report.target, folder, ""]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    ) as worker:
        if worker.stdout.readline().strip() != "ready":
            return "failed this release does not start"
        program = (report.folder / "program.hlo.txt").resolve()
        answer = ask(worker, f"{'run' if report.ran else 'compile'}\t{program}")
        if report.ran and answer.startswith("failed"):
            answer = ask(worker, f"compile\t{program}")
        worker.stdin.close()
    return answer or "failed the compiler died"


def try_release(report, python, tool):
    """Compiles the program with a release and verifies what it dumps."""
    with tempfile.TemporaryDirectory(prefix="affected-releases-") as folder:
        answer = compile_program(report, python, folder)
        if answer.startswith("failed"):
            return State(None, "not readable by this release: " + answer[len("failed ") :])
        command = [tool, "--no-config", "--format=json", folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    dumps = [json.loads(line) for line in done.stdout.splitlines()]
    if not dumps:
        return State(None, "no buffer assignment was dumped")
    errors = {f["check"] for d in dumps for f in d["findings"] if f["severity"] == "error"}
    same = sorted(errors & report.checks)
    text = "affected: " + ", ".join(same) if same else "not affected"
    if errors - report.checks and not same:
        text += "; other findings: " + ", ".join(sorted(errors))
    if answer.startswith("wrong "):
        text += "; " + answer[len("wrong ") :]
    return State(bool(same) or (not report.checks and answer.startswith("wrong")), text)


def next_to_try(releases, own, states):
    """The release to try next; None if neighbors are all that is left."""
    untried = [r for r in releases if r not in states]
    unusable = {r for r, state in states.items() if state.affected is None}
    usable = [r for r in releases if r not in unusable]
    for anchor in [*usable[:1], *usable[-1:], *(r for r in usable if r == own)]:
        if anchor in untried:
            return anchor
    known = [r for r in usable if r in states]
    for low, high in zip(known, known[1:], strict=False):
        between = usable[usable.index(low) + 1 : usable.index(high)]
        if states[low].affected != states[high].affected and between:
            return between[len(between) // 2]
    return None


def find_affected(releases, own, measure):
    """What is known of each release; those that were not needed are missing."""
    states = {}
    while (release := next_to_try(releases, own, states)) is not None:
        states[release] = measure(release)
    return states


def section(releases, states):
    """The section of a report, as Markdown."""
    lines = ["", "## Releases", "", "| release | |", "| --- | --- |"]
    last = ""
    for release in releases:
        state = states.get(release)
        if state and state.affected is not None:
            last = "affected" if state.affected else "not affected"
        text = state.text if state else f"not tried: {last} before and after it"
        lines.append(f"| {release} | {text} |")
    if len(states) < len(releases):
        lines += ["", "A release between two that agree was not tried, and is taken to agree."]
    return "\n".join(lines) + "\n"


def add_releases(report, releases, python_of, tool, say):
    """Writes the section into report.md; False if no release could be tried."""
    found = re.search(rf"\b{report.kind}(?:-plugin)? ([0-9.]*\d)", report.versions)
    own = f"{report.kind} {found[1]}" if found else ""

    def measure(release):
        python = python_of(release)
        state = try_release(report, python, tool) if python else State(None, "not installed")
        say(f"{release}: {state.text}")
        return state

    releases = sorted(releases, key=version_key)
    states = find_affected(releases, own, measure)
    page = report.folder / "report.md"
    text = SECTION.sub("", page.read_text(encoding="utf-8")).rstrip("\n") + "\n"
    page.write_text(text + section(releases, states), encoding="utf-8")
    return any(state.affected is not None for state in states.values())
