"""leave_behind.py STATEMENT FOLDER: dumps FOLDER like compile.py, and leaves a process behind
that runs STATEMENT and goes on for a while."""

import pathlib
import subprocess
import sys

statement, folder = sys.argv[1:]
program = f"{statement}; print(flush=True); import time; time.sleep(4)"
subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE).stdout.readline()
sys.argv[1:] = [folder, "0"]
sys.stdin = open("/dev/null")
path = pathlib.Path(__file__).with_name("compile.py")
exec(compile(path.read_text(), str(path), "exec"))
