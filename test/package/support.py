"""What the tests of packages share: where things are, clean places, commands."""

import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "test" / "package"
INPUTS = ROOT / "test" / "Inputs"
BROKEN = INPUTS / "defect-broadcast-copy"
CLEAN = INPUTS / "clean-cpu"
BUILD = pathlib.Path(os.environ["HLOBUF_BUILD"])
PACKAGES = pathlib.Path(os.environ["HLOBUF_PACKAGES"])
WHEELS = PACKAGES / "wheels"
VENV = pathlib.Path(os.environ["HLOBUF_PACKAGES_VENV"])
LLVM_TOOLS = os.environ["HLOBUF_LLVM_TOOLS"]

# Whatever is installed comes from our own folder of wheels.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELS)}


def clean_place():
    """A folder that is gone when the test has ended."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hlobuf-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def environment(path=(), **changes):
    """Ours, without the build's own programs on PATH."""
    folders = os.environ["PATH"].split(os.pathsep)
    kept = [f for f in folders if pathlib.Path(f) != BUILD / "bin"]
    changed = {**os.environ, **OFFLINE, **changes}
    changed["PATH"] = os.pathsep.join([*map(str, path), *kept])
    return changed


def run(*command, status=0, env=None, cwd=None):
    """Runs a command that should end with `status`; returns what it printed."""
    done = subprocess.run(
        [str(word) for word in command],
        env=environment() if env is None else env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != status:
        print(done.stdout)
        words = " ".join(map(str, command))
        sys.exit(f"exit status {done.returncode} instead of {status}: {words}")
    return done.stdout


def expect(wanted, text):
    """Fails unless the text has these words."""
    for words in [wanted] if isinstance(wanted, str) else wanted:
        if words not in text:
            print(text)
            sys.exit(f"not there: {words}")


def new_venv(folder, *packages, python=sys.executable):
    """A virtual environment with these packages; returns its folder of programs."""
    run(python, "-m", "venv", folder)
    programs = folder / "bin"
    if packages:
        run(programs / "python", "-m", "pip", "install", "-q", *packages)
    return programs


def assignment(folder):
    """The buffer assignment in a folder of one dump."""
    [path] = folder.glob("*-buffer-assignment.txt")
    return path
