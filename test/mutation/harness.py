"""What the mutation tests share: files of a module, runs of the tool."""

import argparse
import glob
import os
import random
import re
import subprocess

ASSIGNMENT = "-buffer-assignment.txt"
SIBLINGS = ("-buffer-assignment-values.txt", "-live-range.txt")
REPORT = "-memory-usage-report.txt"
FINDING = re.compile(r"^(?:.*?: )?(?:error|warning): ", re.MULTILINE)
PLACE = re.compile(r"^(.*?):(\d+):(?:\d+:)? (?:error|warning|note): ", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.write(text)


def stem_of(assignment):
    return assignment.removesuffix(ASSIGNMENT).removesuffix(".txt")


def module_of(assignment):
    """The text of the module that belongs to an assignment, if it is there."""
    path = stem_of(assignment) + ".txt"
    return path if path != assignment and os.path.exists(path) else None


def assignments(paths, limit, seed):
    """All assignments among files and in folders; a random choice if limited."""
    found = []
    for path in paths:
        names = [path]
        if not os.path.isfile(path):
            names = sorted(
                glob.glob(os.path.join(path, "**", "*.txt"), recursive=True)
                + glob.glob(
                    os.path.join(path, "**", "*.buffer_assignment"), recursive=True
                )
            )
        for name in names:
            with open(name, "rb") as f:
                if f.read(18) == b"BufferAssignment:\n":
                    found.append(name)
    random.Random(seed).shuffle(found)
    return found[:limit] if limit else found


def run_tool(tool, assignment, timeout, checks=None):
    """(exit status or "timeout", everything that it printed)"""
    command = [
        tool,
        *([f"--checks=-*,{checks}"] if checks else []),
        "--warnings-as-errors=*",
        "--error-limit=0",
        "--jobs=1",
        assignment,
    ]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=timeout,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timeout", ""
    return done.returncode, done.stdout + done.stderr


def first_finding(output):
    """The line of the first error or warning, or nothing."""
    found = FINDING.search(output)
    return output[found.start() :].split("\n", maxsplit=1)[0] if found else ""


def option_parser(doc, edits):
    """The options that both harnesses have."""
    parser = argparse.ArgumentParser(description=doc.split("\n", maxsplit=1)[0])
    parser.add_argument("paths", nargs="+", help="assignments, or folders of dumps")
    parser.add_argument("--tool", default="hlobuf-verify")
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--max-files", type=int, default=0, help="modules that are taken (0: all)"
    )
    parser.add_argument(
        "--edits-per-file", type=int, default=edits, help="edits of one module"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=20, help="seconds for one run")
    return parser
