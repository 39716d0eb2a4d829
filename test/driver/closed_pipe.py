"""closed_pipe.py COMMAND...: runs COMMAND with a standard output that nobody reads, and
demands that it ends as others do then."""

import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
status = subprocess.run(sys.argv[1:], stdout=writer, check=False).returncode
if status != -signal.SIGPIPE:
    sys.exit(f"exit status {status}, expected the signal {signal.SIGPIPE}")
