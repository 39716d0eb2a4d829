#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Carries the plans of hlobuf-fit out, and compares peaks with predictions.

  measure.py BIN OUT [--share=0.6] [--alone] [NAME...]

Compiles steps of programs.py with $HLOBUF_TPU_PYTHON and $HLOBUF_CUDA_PYTHON, asks for a plan that fits in the given
share of what they take, edits the step as the plan says, and compiles it again. --alone tries each
candidate by itself, next to the donation.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "programs.py"


def compile_step(name, switches, folder):
    if list(folder.glob("*buffer-assignment.txt")):
        return True
    platform = {"cpu": "CPU", "h100": "CUDA"}.get(name.rpartition("-")[2], "TPU")
    python = os.environ[f"HLOBUF_{platform}_PYTHON"]
    folder.mkdir(parents=True, exist_ok=True)
    flags = f"--xla_dump_to={folder} --xla_dump_hlo_as_text" + (" --xla_gpu_autotune_level=0" if name.endswith("h100") else "")
    with open(folder / "log", "w") as log:
        subprocess.run([python, PROGRAMS, name, *switches], stdout=log, stderr=log, env={**os.environ, "XLA_FLAGS": flags})
    return bool(list(folder.glob("*buffer-assignment.txt")))


def main_assignment(folder):
    return max(folder.glob("*buffer-assignment.txt"), key=lambda file: file.stat().st_size)


def plan_of(fit, folder, capacity):
    found = subprocess.run([fit, main_assignment(folder), f"--capacity={capacity}", "--format=json"], capture_output=True, text=True)
    if not found.stdout:
        raise SystemExit(f"{folder}: {found.stderr}")
    return json.loads(found.stdout)


def switches_for(changes):
    switches = []
    for change in changes:
        switches.append({"donate": "donate", "batch": f"batch={change.get('rows', 0) // change.get('divisor', 1)}",
                         "recompute": "paste=" + "".join(change["paste"])}[change["kind"]])
    return switches


def show(label, predicted, folder, capacity, fit):
    after = plan_of(fit, folder, capacity)
    peak, allocated = after["peak_bytes"], after["allocated_bytes"]
    off = predicted / peak - 1
    print(f"{label}: predicted {predicted / 2**20:.0f} MiB, recompiled peak {peak / 2**20:.0f} MiB ({off:+.1%}), takes "
          f"{allocated / 2**20:.0f} MiB of {capacity / 2**20:.0f} MiB: {'fits' if allocated <= capacity else 'does not fit'}", flush=True)
    return abs(off) <= .10, allocated <= capacity


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--share", type=float, default=.6)
    parser.add_argument("--alone", action="store_true")
    a = parser.parse_args()
    fit, out = pathlib.Path(a.bin) / "hlobuf-fit", pathlib.Path(a.out)
    close = fitting = count = 0
    for name in a.names or re.findall(r'^    "([\w-]+)": \(', PROGRAMS.read_text(), re.M):
        if not compile_step(name, [], out / name / "now"):
            print(f"{name}: does not compile", flush=True)
            continue
        now = plan_of(fit, out / name / "now", 1 << 50)
        capacity = int(now["allocated_bytes"] * a.share)
        plan = plan_of(fit, out / name / "now", capacity)
        tries = [("plan", plan["plan"], plan["predicted_bytes"])]
        if a.alone:
            given = [c for c in plan["candidates"] if c["kind"] == "donate"]
            peak = plan["peak_bytes"] - sum(c["saved_bytes"] for c in given)
            tries = [("donation", given, peak)] if given else []
            tries += [("alone", [*given, c], peak - c["saved_bytes"]) for c in plan["candidates"] if c not in given]
        for label, changes, predicted in tries:
            switches = switches_for(changes)
            folder = out / name / re.sub(r"[^\w.=-]+", "+", "-".join(switches) or "none")
            count += 1
            if not compile_step(name, switches, folder):
                print(f"{name} {label} [{' '.join(switches)}]: does not compile", flush=True)
                continue
            good = show(f"{name} {label} [{' '.join(switches)}]", predicted, folder, capacity, fit)
            close += good[0]
            fitting += good[1]
    print(f"{count} programs: {fitting} fit, {close} within 10 %")


if __name__ == "__main__":
    main()
