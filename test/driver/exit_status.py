"""exit_status.py STATUS COMMAND...: runs COMMAND and demands this exit status."""
import subprocess
import sys

wanted = int(sys.argv[1])
found = subprocess.run(sys.argv[2:], check=False).returncode
if found != wanted:
    sys.exit(f"exit status {found}, expected {wanted}: {' '.join(sys.argv[2:])}")
