"""own_flags.py FLAGS COMPILE FOLDER: sets XLA_FLAGS, and removes it, and runs COMPILE,
which is compile.py, each time."""

import os
import subprocess
import sys

flags, *arguments = sys.argv[1:]
command = [sys.executable, *arguments, "0"]
os.environ["XLA_FLAGS"] = flags
print(os.environ["XLA_FLAGS"], flush=True)
subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
del os.environ["XLA_FLAGS"]
print(os.environ.get("XLA_FLAGS"), flush=True)
subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
