"""overwrite.py INPUTS FOLDER: tries to make the tools change a file that they read, or
that is not theirs. Each try begins with the same files, must fail, and leaves every file
as it was."""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

INPUTS, PLACE = map(pathlib.Path, sys.argv[1:])
STEM = "module_0000.jit_f.cpu_after_optimizations"
DUMP = f"dump/{STEM}-buffer-assignment.txt"
VALUES = f"dump/{STEM}-buffer-assignment-values.txt"
RANGES = f"dump/{STEM}-live-range.txt"
MODULE = f"dump/{STEM}.txt"

VERIFY = [
    f"dump --output=json:{DUMP}",
    f"dump --output=json:./dump/../{DUMP}",
    "dump --output=json:link",
    "dump --output=json:name",
    f"dump --output=text:{VALUES}",
    f"dump --output=sarif:{MODULE}",
    "dump --output=junit:linked/" + RANGES.removeprefix("dump/"),
    f"dump --write-baseline={DUMP}",
    "dump --write-baseline=link",
    "dump --baseline=base --output=json:base",
    "dump --baseline=base --output=json:./base",
    "dump --baseline=base --output=sarif:tobase",
    "dump --config=own.yaml --output=text:own.yaml",
    "dump --config=own.yaml --write-baseline=own.yaml",
    "dump --output=json:dump/.hlobuf.yaml",
    "dump --write-baseline=foreign.txt",
    "dump --write-baseline=toforeign",
    "dump --output=json:.",
    "dump --output=json:dump",
    "dump --output=json:..",
    "dump --write-baseline=.",
    "dump --output=json:/dev/fd/3",
    "dump --output=json:/proc/self/fd/3",
    "dump --write-baseline=/dev/fd/3",
    f"- --output=json:{DUMP}",
    "- --output=json:link",
    "program.executable --output=json:program.executable",
    "dumps.tar --output=json:dumps.tar",
    "dump.txt.gz --output=json:./dump.txt.gz",
    f"{DUMP} --module=module.txt --output=json:module.txt",
    f"{DUMP} --sibling=values:values.txt --output=json:values.txt",
    "foreign.txt --output=json:foreign.txt",
    "foreign.txt --write-baseline=foreign.txt",
    "closed/dump.txt --output=json:closed/dump.txt",
]
VIEW = [
    f"dump -o {DUMP} --format=html",
    "dump -o link --format=html",
    "dump -o name --format=html",
    f"dump -o ./{MODULE} --format=json",
    "dump -o . --format=html",
    "dump -o /dev/fd/3 --format=html",
    f"dump closed/dump.txt -o {DUMP} --format=html",
]
REDUCE = [
    "module.txt --test=true -o module.txt",
    "module.txt --test=true -o ./dump/../module.txt",
    "module.txt --test=true -o tomodule",
    "module.txt --test=true -o samemodule",
    "module.txt --test=true -o dump",
    "module.txt --check=clobbered-read --python=no-such-python --report=. -o new.txt",
    "module.txt --check=clobbered-read --python=no-such-python --report=dump -o new.txt",
]


def prepare():
    for path in PLACE.glob("closed"):
        path.chmod(0o700)
    shutil.rmtree(PLACE, ignore_errors=True)
    (PLACE / "dump").mkdir(parents=True)
    for path in (INPUTS / "clean-cpu").iterdir():
        _, mark, tail = path.name.partition("after_optimizations")
        if mark:
            shutil.copy(path, PLACE / "dump" / f"{STEM}{tail}")
    os.chdir(PLACE)
    os.symlink(DUMP, "link")
    os.link(RANGES, "name")
    os.symlink("dump", "linked")
    shutil.copy(VALUES, "values.txt")
    shutil.copy(MODULE, "module.txt")
    os.symlink("module.txt", "tomodule")
    os.link("module.txt", "samemodule")
    shutil.copy(INPUTS / "protos" / "shift_row.executable", "program.executable")
    with tarfile.open("dumps.tar", "w") as archive:
        archive.add("dump")
    with gzip.open("dump.txt.gz", "wb") as file:
        file.write(pathlib.Path(DUMP).read_bytes())
    os.mkdir("closed")
    shutil.copy(DUMP, "closed/dump.txt")
    os.chmod("closed", 0o500)
    for name, text in (
        ("foreign.txt", "letters\n"),
        ("base", ""),
        ("own.yaml", "checks: ''\n"),
        ("dump/.hlobuf.yaml", "# nothing\n"),
    ):
        pathlib.Path(name).write_text(text, encoding="utf-8")
    for name, target in (("tobase", "base"), ("toforeign", "foreign.txt")):
        os.symlink(target, name)


def files():
    """What is where, links as such."""
    found = {}
    for folder, folders, names in os.walk("."):
        for name in folders + names:
            path = os.path.join(folder, name)
            is_file = os.path.isfile(path) and not os.path.islink(path)
            link = os.readlink(path) if os.path.islink(path) else None
            found[path] = pathlib.Path(path).read_bytes() if is_file else link
    return found


def attempt(tool, arguments):
    """What is wrong after a try."""
    before = files()
    with open(os.devnull, "ab") as out, open(DUMP, "rb") as given:
        done = subprocess.run(
            ["sh", "-c", 'exec 3<>"$0"; exec "$@"', DUMP, tool, *arguments.split()],
            stdin=given, stdout=out, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    after = files()
    changed = [path for path in before if after.get(path, b"gone") != before[path]]
    if changed:
        return f"changed {', '.join(changed)}"
    if done.returncode == 0:
        return "exit status 0"
    return "" if done.returncode == 2 else f"exit status {done.returncode}"


def main():
    count, wrong = 0, 0
    for tool, tries in (("hlobuf-verify", VERIFY), ("hlobuf-view", VIEW), ("hlobuf-reduce", REDUCE)):
        for arguments in tries:
            prepare()
            count += 1
            if problem := attempt(tool, arguments):
                wrong += 1
                print(f"{tool} {arguments}: {problem}")
    os.chmod("closed", 0o700)
    print(f"{count} tries, {wrong} of them did harm")


main()
