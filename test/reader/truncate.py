"""truncate.py SCRATCH DUMP: cuts DUMP at many places and verifies the rest."""
import subprocess
import sys

scratch, dump = sys.argv[1:]
data = open(dump, "rb").read()
lines = [i + 1 for i, byte in enumerate(data) if byte == 10]
# Behind the allocations the rest is a complete dump of 2019 or 2026.
end = data.index(b"\n\n") + 1
# Behind used values that need no live ranges nothing tells either.
cuts = set(range(0, len(data) - 1, max(1, len(data) // 150))) | set(lines[:-1:7])
cuts -= {end, end + 1}
passed = 0
for cut in sorted(cuts):
    with open(scratch, "wb") as out:
        out.write(data[:cut])
    run = subprocess.run(["hlobuf-verify", scratch], capture_output=True)
    if run.returncode not in (1, 2):
        passed += 1
        print(f"cut at {cut} of {len(data)}: exit status {run.returncode}")
print(f"{len(cuts)} cuts, {passed} passed")
