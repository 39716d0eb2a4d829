#!/usr/bin/env python3
"""Prints the sums of a results file of lit; exits with 1 unless all is well."""

import collections
import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError) as error:
        print(f"no test results: {error}")
        print("0 passed, 1 failed")
        return 1
    sums = collections.Counter()
    for test in tests:
        code = test["code"]
        if code in PASSED:
            sums["passed"] += 1
        elif code in SKIPPED:
            sums["skipped"] += 1
        else:
            sums["failed"] += 1
            print(f"{code}: {test['name']}")
    if sums["skipped"]:
        print(f"skipped, for what they require is absent: {sums['skipped']}")
    print(f"{sums['passed']} passed, {sums['failed']} failed")
    return 1 if sums["failed"] or not sums["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
