"""exit_status.py STATUS COMMAND...: runs COMMAND and demands this exit status.

With `any` for STATUS, 0 and 1 will do.
"""
import subprocess
import sys

wanted = (0, 1) if sys.argv[1] == "any" else (int(sys.argv[1]),)
found = subprocess.run(sys.argv[2:], check=False).returncode
if found not in wanted:
    sys.exit(f"exit status {found}, expected {sys.argv[1]}: {' '.join(sys.argv[2:])}")
