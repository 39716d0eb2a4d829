"""hostile.py WHAT SCRATCH DUMP: inputs that must neither hang nor end the tool.

DUMP is a folder with one sound dump. Prints the exit status, what was said, and
fails where a run takes too long or ends by a signal.
"""

import os
import resource
import shutil
import subprocess
import sys

what, scratch, dump = sys.argv[1:]
shutil.rmtree(scratch, ignore_errors=True)
os.makedirs(scratch)
folder = shutil.copytree(dump, os.path.join(scratch, "dump"))
assignment = next(name for name in os.listdir(folder) if name.endswith("assignment.txt"))


def run(*arguments, **options):
    done = subprocess.run(
        ["hlobuf-verify", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
        **options,
    )
    print(done.stdout.decode(errors="replace").replace(scratch, "SCRATCH"), end="")
    print("exit status", done.returncode)


def limited(count):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (count, count))

    return limit


def as_nobody():
    if os.getuid() == 0:
        os.setuid(65534)


def few_threads():
    resource.setrlimit(resource.RLIMIT_NPROC, (4, 4))
    as_nobody()


def fifo_in_folder():
    os.mkfifo(os.path.join(folder, "x-buffer-assignment.txt"))
    os.mkfifo(os.path.join(folder, "notes.txt"))
    run(folder)


def fifo():
    """A pipe by its name is read once; so is /dev/stdin."""
    path = os.path.join(scratch, "pipe")
    os.mkfifo(path)
    source = os.path.join(folder, assignment)
    with subprocess.Popen(["sh", "-c", 'cat "$1" > "$2"', "sh", source, path]):
        run(path)
    with open(source, "rb") as text, subprocess.Popen(
        ["cat"], stdin=text, stdout=subprocess.PIPE
    ) as cat:
        run("/dev/stdin", stdin=cat.stdout)


def fifo_as_sibling():
    os.rename(
        os.path.join(folder, assignment), os.path.join(folder, "a-buffer-assignment.txt")
    )
    os.mkfifo(os.path.join(folder, "a-live-range.txt"))
    run(os.path.join(folder, "a-buffer-assignment.txt"))


def devices():
    os.symlink("/dev/zero", os.path.join(folder, "notes.txt"))
    run(folder)
    run("/dev/zero", preexec_fn=limited(1 << 30))
    run("/dev/null")


def folders():
    hidden = shutil.copytree(dump, os.path.join(folder, "sub"))
    os.symlink(dump, os.path.join(folder, "link"))
    os.chmod(scratch, 0o755)
    os.chmod(hidden, 0)
    run(folder, preexec_fn=as_nobody)
    os.chmod(hidden, 0o755)


def threads():
    for i in range(300):
        shutil.copy(
            os.path.join(folder, assignment),
            os.path.join(folder, f"{i}-buffer-assignment.txt"),
        )
    os.chmod(scratch, 0o755)
    run("--jobs=5000", folder, preexec_fn=few_threads)


def memory():
    with open(os.path.join(folder, assignment), "a") as out:
        for i in range(2000000):
            out.write(f" value: <{i} v{i} @0> (size=4,offset=0): f32[]\n")
    run(f"--output=json:{scratch}/out", folder, preexec_fn=limited(1 << 28))
    print("left behind:", sorted(set(os.listdir(scratch)) - {"dump"}))


def config():
    for text in ("[" * 200000, "- " * 200000, "{a: " * 100000, "checks: '" + "[" * 99):
        with open(os.path.join(folder, ".hlobuf.yaml"), "w") as out:
            out.write(text)
        run(folder)


def baseline():
    path = os.path.join(scratch, "base")
    for text in ("[" * 1000000, '{"a":' * 1000000):
        with open(path, "w") as out:
            out.write(text + "\n")
        run("--baseline=" + path, folder)


globals()[what]()
