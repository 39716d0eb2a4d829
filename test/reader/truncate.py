"""truncate.py SCRATCH DUMP: cuts DUMP at many places and verifies the rest."""
import subprocess
import sys

scratch, dump = sys.argv[1:]
data = open(dump, "rb").read()
lines = [i + 1 for i, byte in enumerate(data) if byte == 10]
# A file that ends after a line of the allocations is a whole file of 2026.
end = data.index(b"\n\n") + 1
whole = {line for line in lines if line <= end}
cuts = set(range(0, len(data) - 1, max(1, len(data) // 150))) | set(lines[:-1:7])
cuts = (cuts - whole) | {lines[0]}
passed = 0
for cut in sorted(cuts):
    with open(scratch, "wb") as out:
        out.write(data[:cut])
    run = subprocess.run(["hlobuf-verify", scratch], capture_output=True)
    if run.returncode not in (1, 2):
        passed += 1
        print(f"cut at {cut} of {len(data)}: exit status {run.returncode}")
print(f"{len(cuts)} cuts, {passed} passed")
