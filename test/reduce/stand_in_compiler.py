#!/usr/bin/env python3
"""A compiler for hlobuf-reduce --python: it "dumps" the files of $DUMP."""

import os
import shutil
import sys

folder = sys.argv[4]  # -c PROGRAM TARGET FOLDER FLAGS
print("ready", flush=True)
for line in sys.stdin:
    verb, *arguments = line.rstrip("\n").split("\t")
    if verb == "compile":
        shutil.copytree(os.environ["DUMP"], folder, dirs_exist_ok=True)
    if verb in ("stablehlo", "reproduce"):
        with open(arguments[1], "w", encoding="utf-8") as out:
            print("made by", verb, file=out)
    broken = verb == "reproduce" and "FAIL_REPORT" in os.environ
    print("failed as told" if broken else "ok compiles", flush=True)
