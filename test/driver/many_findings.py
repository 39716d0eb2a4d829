"""many_findings.py COUNT: an assignment with COUNT findings of numbering."""

import sys

print("BufferAssignment:")
for number in range(2 * int(sys.argv[1]) + 1):
    # Far apart, so that each finding is about allocations of its own.
    print(f"allocation {number + number // 2 * 10000}: size 4, maybe-live-out:")
    print(f" value: <{number} v{number} @0> (size=4,offset=0): f32[]")
