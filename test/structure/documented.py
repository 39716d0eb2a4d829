"""documented.py ROOT TREE: each command that starts a check, as the pages of ROOT show it,
does so in TREE.
"""

import pathlib
import re
import shlex
import subprocess
import sys

root, tree = map(pathlib.Path, sys.argv[1:])
count = 0
for page in (root / "CONTRIBUTING.md", root / "docs/hacking.md"):
    for command in re.findall(r"utils/new-check\.py ([a-z][^`\n]*)", page.read_text()):
        count += 1
        arguments = [sys.executable, root / "utils/new-check.py", "--root", tree]
        subprocess.run([*arguments, *shlex.split(command)], check=True)
sys.exit(count != 2)
