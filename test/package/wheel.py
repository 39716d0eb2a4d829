"""A wheel is installed where nothing else is, and does all that it says.

RUN: %venv-python %s
"""

import os
import platform
import shutil
import subprocess
import tarfile
import zipfile

from support import (
    BROKEN,
    CLEAN,
    INPUTS,
    ROOT,
    VENV,
    WHEELS,
    clean_place,
    environment,
    expect,
    new_venv,
    run,
)

API = """
import os
import pathlib
import sys
import hlobuf

inputs, broken, folder = map(pathlib.Path, sys.argv[1:])

reports: list[hlobuf.Report] = hlobuf.verify(inputs)
texts = [r for r in reports if "protos" not in pathlib.Path(r.dump).parts]
assert len(texts) == 19 and len(reports) == 25, reports
wrong = {report.module: report for report in texts if not report.ok}
assert len(wrong) == 13, wrong
bad, row = wrong["jit_broadcast_of_old_vector"], wrong["jit_shift_row"]
assert not any(r.ok for r in reports if r not in texts)
assert row.status == "errors", row
assert bad.status == "errors" and bad.errors == 1 and bad.verified > 30, bad
[finding] = bad.findings
assert finding.check == "clobbered-read" and finding.severity == "error"
assert finding.place and finding.place.line == 20 and finding.place.column == 9
assert finding.place.end_column == 42, finding.place
assert any(note.place for note in finding.notes)
assert any(gap.check == "heap-trace" for gap in bad.not_checked)
assert str(finding).startswith(f"{bad.dump}:20:9: error: "), finding

assert all(r.ok for r in hlobuf.verify([inputs], checks="-*,numbering"))
assert bad.summary is None
[summed] = hlobuf.verify(str(broken), summary=True, jobs=1)
assert summed.summary and not summed.ok
two = [hlobuf.verify(inputs, shard=f"{i}/2") for i in range(2)]
assert sorted(r.dump for part in two for r in part) == [r.dump for r in reports]

for lost in (folder / "nothing", folder):
    [report] = hlobuf.verify(lost)
    assert report.status == "unreadable" and not report.ok, report
    assert str(lost) in report.input_error and str(lost) in str(report), report

def error_of(paths: list[pathlib.Path], checks: str) -> str:
    try:
        hlobuf.verify(paths, checks=checks)
    except hlobuf.InputError as error:
        return str(error)
    raise AssertionError(f"no error with {paths} {checks}")

assert hlobuf.__version__[0].isdigit(), hlobuf.__version__
assert str(hlobuf.Report("d", "m", "errors", errors=1)) == "d: 1 error, 0 warnings"
assert "no files" in error_of([], "*")
assert "no-such-check" in error_of([broken], "no-such-check")
os.chdir(folder)
[text] = broken.glob("*-buffer-assignment.txt")
names = [f'-a "dump" with \\\\ and {n:0100}-buffer-assignment.txt' for n in range(1500)]
pathlib.Path("first").write_bytes(text.read_bytes())
for name in names:
    os.link("first", name)
many = hlobuf.verify(names, checks="-*,numbering")
assert len(many) == len(names) and all(report.ok for report in many), len(many)
"""


def check_contents(wheel):
    """A tag that is true, and the files that belong."""
    tag = f"manylinux_2_17_{platform.machine()}"
    assert tag in wheel.name, wheel.name
    shown = run(VENV / "bin" / "auditwheel", "show", wheel)
    expect(["is consistent with", "requires no external shared libraries"], shown)
    names = zipfile.ZipFile(wheel).namelist()
    data = wheel.name.rpartition("-py3")[0] + ".data"
    for name in (
        "hlobuf/py.typed",
        f"{data}/scripts/hlobuf-verify",
        f"{data}/scripts/hlobuf-diff",
        f"{data}/scripts/hlobuf-fit",
        f"{data}/scripts/hlobuf-reduce",
        f"{data}/scripts/hlobuf-view",
        f"{data}/data/share/man/man1/hlobuf-view.1",
        f"{data}/data/share/man/man1/hlobuf-verify.1",
        f"{data}/data/share/fish/vendor_completions.d/hlobuf-verify.fish",
    ):
        assert name in names, (name, names)
    others = [n for n in names if n.endswith((".a", ".h", ".cmake", ".pyc"))]
    assert not others, others


def check_source(archive):
    """It was built from; tests and what CI needs are not in it."""
    names = {n.partition("/")[2] for n in tarfile.open(archive).getnames()}
    for name in ("CMakeLists.txt", "lib/CMakeLists.txt", "LICENSE", "python/hlobuf/py.typed"):
        assert name in names, name
    assert not [n for n in names if n.startswith(("test/", ".ci/"))]


def check_any_libc(programs, place):
    """Nothing but the program and a dump: no library of any release is needed."""
    if os.geteuid() != 0:
        return
    root = place / "root"
    shutil.copytree(CLEAN, root / "dump")
    shutil.copy(programs / "hlobuf-verify", root)
    expect("sound: no overlap", run("chroot", root, "/hlobuf-verify", "/dump"))


def check_program(programs):
    """The program is on PATH, needs no library, and `python -m` finds it."""
    env = environment([programs])
    expect("hlobuf-verify 0.", run("hlobuf-verify", "--version", env=env))
    linked = subprocess.run(
        ["ldd", programs / "hlobuf-verify"], capture_output=True, text=True, check=False
    )
    expect("not a dynamic executable", linked.stdout + linked.stderr)
    alone = environment([], PATH="")
    python = programs / "python"
    expect(
        "clobbered-read", run(python, "-m", "hlobuf", BROKEN, status=1, env=alone)
    )
    run(python, "-m", "hlobuf", CLEAN, env=alone)
    expect("USAGE", run(python, "-m", "hlobuf", "--help", env=alone))


def main():
    [wheel] = WHEELS.glob("hlobuf-*.whl")
    [archive] = WHEELS.glob("hlobuf-*.tar.gz")
    check_contents(wheel)
    check_source(archive)
    place = clean_place()
    programs = new_venv(place / "venv", "hlobuf")
    check_program(programs)
    check_any_libc(programs, place)

    script = place / "use_of_api.py"
    script.write_text(API)
    (place / "dumps").mkdir()
    run(programs / "python", "-I", script, INPUTS, BROKEN, place / "dumps")
    mypy = [VENV / "bin" / "mypy", "--strict", "--cache-dir=/dev/null"]
    run(*mypy, "--python-executable", programs / "python", script, cwd=place)
    run(*mypy, "-p", "hlobuf", cwd=ROOT / "python")

    target = place / "target"
    run(programs / "python", "-m", "pip", "install", "-q", "--target", target, "hlobuf")
    run(
        VENV / "bin" / "python",
        "-m",
        "hlobuf",
        CLEAN,
        env=environment([], PATH="", PYTHONPATH=str(target)),
    )


main()
