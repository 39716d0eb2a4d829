"""ranks.py HOW OFFSET FOLDER...: what a job of several processes looks like to XLA.

One process for each FOLDER dumps the files in it as those of one and the same module,
byte by byte like a compiler that is interrupted now and then, up to OFFSET milliseconds
after the others. HOW the processes come about:

  fork spawn forkserver   by multiprocessing
  launcher                new programs with the environment of this one
  replaced                the same, with XLA_FLAGS of their own
  appended                forked; each adds to XLA_FLAGS
"""

import ctypes
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import sys
import time

# The compiler reads the variable that C has, and not os.environ.
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p


def dump_folder():
    flags = os.fsdecode(getenv(b"XLA_FLAGS") or b"")
    return (re.findall(r"--xla_dump_to=(\S+)", flags) or [None])[-1]


def dump(folder, offset, to):
    """Writes the files of `folder` under names that all processes use."""
    random.seed(os.getpid() ^ time.time_ns())
    time.sleep(random.uniform(0, offset) / 1000)
    for path in sorted(pathlib.Path(folder).iterdir()):
        tail = re.sub(r".*after_optimizations", "", path.name)
        text = path.read_bytes()
        name = f"{to}/module_0000.jit_f.cpu_after_optimizations{tail}"
        with open(name, "wb", buffering=0) as file:
            for at in range(0, len(text), 4096):
                file.write(text[at : at + 4096])
                if random.random() < 0.1:
                    time.sleep(0.0005)


def work(how, offset, folder):
    if how == "appended":
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_b"
    if how == "replaced":
        os.environ["XLA_FLAGS"] = "--xla_b"
    to = dump_folder()
    if to is not None:
        dump(folder, offset, to)


def start_program(how, offset, folder):
    command = [sys.executable, __file__, "one", how, offset, folder]
    environment = dict(os.environ)
    if how == "replaced":
        environment["XLA_FLAGS"] = "--xla_a"
    return subprocess.Popen(command, env=environment)


def main():
    how, offset, *folders = sys.argv[1:]
    if how == "one":
        work(offset, float(folders[0]), folders[1])
        return 0
    if how in ("launcher", "replaced"):
        all_ranks = [start_program(how, offset, folder) for folder in folders]
        return max(rank.wait() for rank in all_ranks)
    kind = {"appended": "fork"}.get(how, how)
    context = multiprocessing.get_context(kind)
    all_ranks = [
        context.Process(target=work, args=(how, float(offset), folder))
        for folder in folders
    ]
    for rank in all_ranks:
        rank.start()
    for rank in all_ranks:
        rank.join()
    return max(rank.exitcode for rank in all_ranks)


if __name__ == "__main__":
    sys.exit(main())
