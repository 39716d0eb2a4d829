"""exec_ranks.py HOW RANKS BROKEN CLEAN [--runs=N] [--python=P] [--program=FILE]

Runs jobs of RANKS processes under `hlobuf-verify --exec`, one of which dumps the broken
module, at all kinds of offsets. In each run all modules are verified, and the error is
found.
"""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys

OFFSETS = (0, 1, 5, 20, 100, 400)
RANKS = pathlib.Path(__file__).with_name("ranks.py")


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("how")
    parser.add_argument("ranks", type=int)
    parser.add_argument("broken")
    parser.add_argument("clean")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--program", default=str(RANKS))
    parser.add_argument("--verify", default="hlobuf-verify")
    return parser.parse_args()


def number(pattern, text, default=0):
    found = re.search(pattern, text)
    return int(found[1]) if found else default


def judge(given, run):
    """What came of one run: a word, or the output that is wrong."""
    random.seed(run)
    folders = [given.clean] * given.ranks
    folders[random.randrange(given.ranks)] = given.broken
    offset = str(OFFSETS[run % len(OFFSETS)])
    command = [given.verify, "--no-config", "--exec", "--", given.python]
    command += [given.program, given.how, offset, *folders]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    text = done.stderr
    # The last line counts dumps only where there are several.
    one = "sound: " in text or "broken: " in text
    verified = number(r"(\d+) dumps: ", text, int(one))
    found = " error: " in text
    if verified == given.ranks and found and "not verified" not in text:
        if done.returncode == 1:
            return "every module verified, the error found"
    return f"WRONG: exit status {done.returncode}\n{text}"


def main():
    given = options()
    counts = collections.Counter(judge(given, run) for run in range(given.runs))
    for word, count in sorted(counts.items()):
        print(f"{given.how}, {given.ranks} processes: {count} of {given.runs}: {word}")
    return any(word.startswith("WRONG") for word in counts)


if __name__ == "__main__":
    sys.exit(main())
