"""shortened.py SCRATCH: the signal of a file that became shorter while hlobuf-verify reads it."""

import os
import signal
import subprocess
import sys

PIPE = sys.argv[1] + ".fifo"
if os.path.exists(PIPE):
    os.remove(PIPE)
os.mkfifo(PIPE)
with subprocess.Popen(["hlobuf-verify", "--no-config", PIPE]) as tool:
    with open(PIPE, "wb"):  # waits until the tool reads
        tool.send_signal(signal.SIGBUS)
        sys.exit(tool.wait())
