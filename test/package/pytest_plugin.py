"""pytest --hlobuf with a real jax: what a test compiles is verified, and a program
that jax is known to miscompile for TPU fails the test that compiles it.

REQUIRES: jax
RUN: %venv-python %s
"""

import os
import pathlib
import shutil

from support import HERE, VENV, clean_place, environment, expect, run

JAX = os.environ["HLOBUF_JAX_PYTHON"]


def main():
    place = clean_place()
    # jax has its own environment, which stays as it is.
    site = place / "site"
    pip = [VENV / "bin" / "pip", "install", "-q", "--target", site]
    run(*pip, "hlobuf", "pytest", "pytest-xdist")
    project = place / "project"
    shutil.copytree(HERE / "pytest-project", project)

    def pytest(*arguments, status, **changes):
        env = environment(
            PYTHONPATH=str(site), TMPDIR=str(place), JAX_PLATFORMS="cpu", **changes
        )
        command = [JAX, "-B", "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return run(*command, status=status, cwd=project, env=env)

    def folders():
        return list(place.glob("hlobuf-pytest-*"))

    # Without the option nothing is verified.
    expect("6 passed, 1 xpassed", pytest(status=0))
    assert not folders()

    text = pytest("--hlobuf", "test_sound.py", status=0)
    expect(["4 passed", " 0 errors", "modules verified"], text)
    assert not folders(), "nothing was found, so nothing stays"

    text = pytest("--hlobuf", status=1)
    expect(["test_miscompiled", "[clobbered-read]", "test_broken.py:29"], text)
    expect(["FAILED test_broken.py::test_miscompiled", "1 xfailed", " 3 errors,"], text)
    expect("ERROR test_broken.py::test_of_fixture", text)
    [kept] = folders()
    expect(f"jit_broadcast_of_old_vector is broken, its dump is in {kept}", text)
    names = [path.name for path in kept.glob("*-buffer-assignment.txt")]
    assert names and all("broadcast_of_old" in name for name in names), names
    shutil.rmtree(kept)

    # The user's own flags stay, also those that a conftest.py sets.
    (project / "conftest.py").write_text(
        "import os\n"
        "os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=3'\n"
    )
    text = pytest("--hlobuf", "test_sound.py", status=0, DEVICES="3")
    expect("modules verified, 0 errors", text)

    text = pytest("--hlobuf", "-n2", status=1)
    expect(["test_miscompiled", "[clobbered-read]", "modules verified"], text)

    # Silence is not a verdict.
    text = pytest("--hlobuf", "-k", "nothing_compiled", status=0)
    expect("hlobuf: XLA compiled nothing", text)

    # The settings of the project hold, though the dumps are elsewhere.
    (project / ".hlobuf.yaml").write_text("checks: '-*,numbering'\n")
    text = pytest("--hlobuf", "test_broken.py", status=0)
    expect("0 errors", text)
    pathlib.Path(project / ".hlobuf.yaml").unlink()

    # Who has an old pytest can still use it, as long as nobody asks for ours.
    old = [VENV / "bin" / "pip", "install", "-q", "--target", place / "old"]
    run(*old, "hlobuf", "pytest==7.4.4", "pluggy==1.0.0")
    site = place / "old"
    expect("4 passed", pytest("test_sound.py", status=0, DEVICES="3"))
    expect("needs pytest 8, or pluggy 1.2", pytest("--hlobuf", status=4))


main()
