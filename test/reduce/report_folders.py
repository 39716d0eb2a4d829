"""report_folders.py MODULE: --report with folders of all kinds, in the current folder."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

COMPILER = Path(__file__).parent / "stand_in_compiler.py"
REFUSED = [
    *(".", "./", "../user", "dump", "./dump/", "dump/.", "link", "link/", "link/..", "dump/.."),
    *("full", str(Path.cwd()), "file", "file/x", "hard", "dangling", "/dev/null", "/proc/self/x"),
]


def contents():
    """What is in the current folder: kinds, permissions, and texts."""
    found = {}
    for path in sorted(Path().rglob("*")):
        text = path.read_bytes() if path.is_file() else b""
        found[str(path)] = stat.S_IFMT(path.lstat().st_mode), path.lstat().st_mode, text
    return found


def reduce(*options, **environment):
    command = ["hlobuf-reduce", "-q", "--max-time=1", "--check=*", "dump/in.txt"]
    command += [f"--python={COMPILER}", *options]
    done = subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, env=os.environ | environment
    )
    return done.returncode, done.stderr.strip()


def main():
    for folder in ("dump", "full", "empty", "temporary"):
        Path(folder).mkdir()
    shutil.copy(sys.argv[1], "dump/in.txt")
    for name in ("report.log", "new.log", "file", "full/dump", "test.sh"):
        Path(name).write_text("mine\n", encoding="utf-8")
    os.link("file", "hard")
    os.symlink("dump", "link")
    os.symlink("empty", "to-empty")
    os.symlink("nowhere", "dangling")
    os.environ["TMPDIR"] = os.path.abspath("temporary")
    before = contents()
    if os.geteuid() != 0:  # who may do anything
        os.chmod("empty", 0o500)
        assert reduce("-o", "temporary/out", "--report=empty")[0] == 2
        os.chmod("empty", stat.S_IMODE(before["empty"][1]))
    for folder in REFUSED:
        status, text = reduce("-o", "temporary/out", f"--report={folder}")
        print(f"{folder}: {text}")
        assert status == 2 and contents() == before, folder
    for folder in ("new", "a/b/", "report", "to-empty/"):
        output = f"{folder}/mine.txt" if "empty" in folder else "temporary/out"
        status, text = reduce("-o", output, f"--report={folder}")
        print(f"{folder}: {' '.join(sorted(os.listdir(folder)))} {text}")
        assert status == 0, folder
        for path in Path(folder).iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    for path in ("new", "a/b", "a", "report"):
        Path(path).rmdir()
    os.remove("temporary/out")
    assert contents() == before
    status, text = reduce("-o", "test.sh", "--python=./test.sh")
    print(f"test: {text}")
    assert status == 2 and contents() == before
    status, text = reduce("-o", "temporary/out", "--report=empty", FAIL_REPORT="1")
    print(f"failed: {text}")
    os.remove("temporary/out")
    assert status == 2 and contents() == before


if __name__ == "__main__":
    main()
