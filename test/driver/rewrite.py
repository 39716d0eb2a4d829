"""rewrite.py DUMP: what a report that is written again leaves of the file before it.

--output goes through links, keeps permissions, owner and other names, and works where
the folder takes no new file.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile

DUMP = sys.argv[1]


def write(path, **more):
    command = ["hlobuf-verify", "--no-config", "-q", f"--output=json:{path}", DUMP]
    done = subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, **more
    )
    return done.returncode, done.stderr.strip()


def is_report(path):
    with open(path, encoding="utf-8") as file:
        return file.read().startswith('{"schema"')


def old(path, mode):
    with open(path, "w", encoding="utf-8") as file:
        file.write("old\n")
    os.chmod(path, mode)


old("plain", 0o640)
write("plain")
print("mode", oct(stat.S_IMODE(os.stat("plain").st_mode)), is_report("plain"))

os.mkdir("far")
old("far/file", 0o600)
os.symlink("far/file", "link")
write("link")
print("link", os.path.islink("link"), is_report("far/file"), sorted(os.listdir("far")))
print("mode", oct(stat.S_IMODE(os.stat("far/file").st_mode)))

os.symlink("far/new", "dangling")
write("dangling")
print("dangling", os.path.islink("dangling"), is_report("far/new"))
os.symlink("circle", "circle")
print("circle", write("circle"))
os.symlink("absent/file", "nowhere")
print("nowhere", write("nowhere"))

old("one", 0o644)
os.link("one", "other")
write("one")
print("names", os.path.samefile("one", "other"), is_report("other"))

print("full", write("/dev/full"))
with open("collected", "wb") as file:
    file.write(b"before\n")
    file.flush()
    write("/dev/stdout", stdout=file)
with open("collected", encoding="utf-8") as file:
    lines = file.read().splitlines()
print("stdout", lines[0], lines[1][:9], os.path.islink("/dev/stdout"))


def be_nobody():
    os.setgid(65534)
    os.setuid(65534)


# A folder that takes no new file, for a user who is not root.
closed = "far"
if os.geteuid() == 0:
    # lit's own temporary folder is the user's alone.
    os.environ["TMPDIR"] = "/tmp"
    closed = tempfile.mkdtemp(dir="/tmp")
    shutil.copytree(DUMP, f"{closed}/dump")
    DUMP = f"{closed}/dump"
    old(f"{closed}/file", 0o640)
    os.chown(f"{closed}/file", 65534, 65534)
os.chmod(closed, 0o555)
more = {"preexec_fn": be_nobody} if os.geteuid() == 0 else {}
try:
    status, _ = write(f"{closed}/file", **more)
except PermissionError:  # the program is in a folder of root's
    status, _ = write(f"{closed}/file")
os.chmod(closed, 0o755)
print("closed folder", status, is_report(f"{closed}/file"))
if closed != "far":
    print("owner", os.stat(f"{closed}/file").st_uid)
    shutil.rmtree(closed)
