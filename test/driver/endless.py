"""endless.py WHAT SCRATCH DUMP: inputs that never end, or are small and unpack to 1 GiB."""

import gzip
import os
import resource
import shutil
import subprocess
import sys

what, scratch, dump = sys.argv[1:]
shutil.rmtree(scratch, ignore_errors=True)
folder = shutil.copytree(dump, os.path.join(scratch, "dump"))


def run(*command):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
    done = subprocess.run(
        command, capture_output=True, timeout=60, check=False, preexec_fn=limit
    )
    text = (done.stdout + done.stderr).decode(errors="replace")
    print(text.replace(scratch, "SCRATCH"), end="")
    print("exit status", done.returncode)


if what == "config":
    os.mkfifo(os.path.join(folder, ".hlobuf.yaml"))
    run("hlobuf-verify", folder)
elif what == "module":
    run("hlobuf-reduce", "--test=true", "/dev/zero", "-o", scratch + "/out.txt")
elif what == "baseline":
    run("hlobuf-verify", "--no-config", "--write-baseline=/dev/full", folder)
    run("hlobuf-verify", "--no-config", "--baseline=/dev/zero", folder)
elif what == "bomb":
    data = bytes(1 << 26)
    for _ in range(3):
        data = gzip.compress(data)
    path = os.path.join(scratch, "bomb.hlo.pb.gz")
    with open(path, "wb") as out:
        out.write(data)
    run("hlobuf-verify", path)
elif what == "sparse":
    path = os.path.join(scratch, "sparse.txt")
    with open(path, "wb") as out:
        out.truncate(5 << 30)
    run("hlobuf-verify", path)
