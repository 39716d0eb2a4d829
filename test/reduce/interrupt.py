"""interrupt.py MODULE OUT: runs hlobuf-reduce with a slow test, interrupts it after its
first results, and checks that the best one is kept and shows what was looked for."""

import re
import signal
import subprocess
import sys

module, out = sys.argv[1:]
command = ["hlobuf-reduce", "-j2", "--test=sleep 0.1; grep -q 'sine('", module, "-o", out]
with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "one instruction" in line:
            process.send_signal(signal.SIGINT)
assert process.returncode == 0, (process.returncode, lines)
assert any("interrupted: the best result is verified" in line for line in lines), lines
before, after = map(int, re.search(r"(\d+) -> (\d+) instructions in", lines[-1]).groups())
assert before > after > 2, lines[-1]
with open(out, encoding="utf-8") as file:
    text = file.read()
assert "sine" in text, text
# No more than what came in until the tests at hand had ended.
assert len(lines) <= 6, lines
print(f"kept {after} of {before} instructions")
