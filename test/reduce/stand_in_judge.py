"""Stands in for test/judge/judge.py: each third program has the finding of the shifted
row, and each other one of these is right by luck. With KILL=FILE in the environment, and that file there, it kills the campaign. Weights of
blocks go to WEIGHTS."""

import json
import os
import pathlib
import signal
import sys

folder = pathlib.Path(sys.argv[1])
family, begin, end = sys.argv[sys.argv.index("--programs") + 1].split(":")
blocks = "blocks scan,loop" if family == "varied" else ""
if "--weights" in sys.argv and "WEIGHTS" in os.environ:
    with open(os.environ["WEIGHTS"], "a", encoding="utf-8") as out:
        print(sys.argv[sys.argv.index("--weights") + 1], file=out)
dump = pathlib.Path(__file__).parents[1] / "Inputs" / "defect-shift-row"
kept = folder / "kept-1"
kept.mkdir(parents=True)
with open(folder / "rows.json", "w", encoding="utf-8") as rows:
    for number in range(int(begin), int(end)):
        name, wrong = f"{family}_{number}", number % 3 == 0
        row = {"name": name, "what": blocks, "hazards": [], "unsure": [], "agrees": True}
        row["numbers"] = "wrong" if wrong and number % 2 == 0 else "right"
        if number == 8 and family == "directed":
            row["numbers"] = "failed: JaxRuntimeError INTERNAL: RET_CHECK failure (a.cc:16"
        row["checks"] = ["in-place-hazard"] if wrong else []
        luck = "right by luck: in place" if number % 2 else "assignment"
        row["why"] = luck if wrong else ""
        rows.write(json.dumps(row) + "\n")
        for path in dump.iterdir() if wrong else ():
            to = path.name.replace("jit_shift_row", f"jit_{name}")
            text = path.read_text(encoding="utf-8")
            (kept / to).write_text(text.replace("jit_shift_row", f"jit_{name}"))
kill = pathlib.Path(os.environ.get("KILL", "none"))
if kill.exists():
    kill.unlink()
    os.kill(os.getppid(), signal.SIGKILL)
