"""store.py COMMAND ..: what store.test does to a store of verdicts.

age STORE            makes all entries old
count STORE          prints how many there are, and how many are not old
damage STORE         flips a byte, cuts off, empties or exchanges each entry
litter STORE         adds files that hold no verdict, one of them named like one
swap FILE            changes FILE, or changes it back, and keeps its size and time
race N COMMAND..     runs N of these at once; all must print the same
full COMMAND..       runs it where no file can be written
other COMMAND..      runs it with a program that has one byte more
"""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

OLD = 10**9


def entries(store):
    return sorted(path for path in pathlib.Path(store).rglob("*/*") if path.is_file())


def age(store):
    for path in entries(store):
        os.utime(path, (OLD, OLD))


def count(store):
    found = entries(store)
    print(len(found), "entries,", sum(path.stat().st_mtime > OLD + 1 for path in found), "new")


def damage(store):
    found = entries(store)
    contents = [path.read_bytes() for path in found]
    for i, path in enumerate(found):
        own = bytearray(contents[i])
        own[len(own) // 2] ^= 1
        damaged = (own, contents[i][:-1], b"", contents[i - 1])
        path.write_bytes(damaged[i % len(damaged)])
    age(store)


def litter(store):
    folder = entries(store)[0].parent
    for path in (folder / ("0" * 62), folder / "note", pathlib.Path(store) / "note"):
        path.write_text("")


def swap(path):
    file, times = pathlib.Path(path), os.stat(path)
    text = file.read_text()
    one, other = ("offset=0)", "offset=1)") if "offset=1)" not in text else ("offset=1)", "offset=0)")
    file.write_text(text.replace(one, other, 1))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def race(number, *command):
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(int(number))
    ]
    outputs = {run.communicate()[0] for run in runs}
    sys.stdout.buffer.write(b"----\n".join(outputs))


def full(*command):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.execvp(command[0], command)


def other(program, *arguments):
    shutil.copy(shutil.which(program), "other")
    with open("other", "ab") as file:
        file.write(b"\n")
    os.execv("other", ("other", *arguments))


globals()[sys.argv[1]](*sys.argv[2:])
