"""cut.py [--places N] [--lines N] [--tools FOLDER] DUMP-FOLDERS...: files that are cut off.

Cuts each file of each sound dump at N places, evenly spread over its bytes, and
after N of its lines, and verifies what is left:

* a file that is not whole is unreadable, exit status 2, and nothing else: no error,
  no warning and no lint comes from a cut, and the message names the file;
* what ends after a line may be a whole file: such places are counted, by file. They
  are never in the middle of a line.

With --tools also runs, for some of the places, hlobuf-diff, hlobuf-view and the
--emit, --summary and --max-peak of hlobuf-verify: none of them may end with 0 or 1.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TAILS = (
    "-buffer-assignment.txt",
    "-buffer-assignment-values.txt",
    "-live-range.txt",
    "-memory-usage-report.txt",
    ".txt",
)


def read_dump(assignment):
    """The files of one dump, by tail."""
    stem = assignment.removesuffix(TAILS[0])
    files = {}
    for tail in TAILS:
        if os.path.exists(stem + tail):
            with open(stem + tail, "rb") as text:
                files[tail] = text.read()
    return stem, files


def write_dump(folder, files, name):
    os.makedirs(folder)
    for tail, data in files.items():
        with open(os.path.join(folder, name + tail), "wb") as out:
            out.write(data)


def places(data, count, lines, rng):
    """Where to cut data: at least one byte is missing, and one is left."""
    cuts = {len(data) * i // count for i in range(1, count)}
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    cuts |= set(rng.sample(ends, min(lines, len(ends))))
    # Empty lines at the end of a file say nothing.
    whole = len(data.rstrip(b"\n")) + 1
    return sorted(cut for cut in cuts if 0 < cut < whole)


def verify(tool, folder):
    command = [tool, "--no-config", "--jobs=1", "--format=json", folder]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{folder}: status {done.returncode}\n{done.stderr.decode()}")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, {os.path.dirname(r["dump"]): r for r in reports}


def judge(report, name):
    """`ok`, `whole`, or what is wrong."""
    if report is None:
        return "no report"
    if "input_error" in report:
        return "ok" if name in report["input_error"] else "file not named"
    others = [f["check"] for f in report["findings"] if f["check"] != "unreadable"]
    if others:
        return "findings: " + ", ".join(sorted(set(others)))
    if not report["findings"]:
        return "whole" if report["status"] == "sound" else report["status"]
    said = " ".join(f["file"] + f["message"] for f in report["findings"])
    return "ok" if name in said else "file not named"


def other_tools(arguments, folder, sound):
    """The commands that must refuse the dump in folder, and do not."""
    bin_of = lambda tool: os.path.join(arguments.tools, tool)
    commands = [
        [bin_of("hlobuf-diff"), sound, folder],
        [bin_of("hlobuf-diff"), "--max-growth=1TiB", sound, folder],
        [bin_of("hlobuf-diff"), folder, sound],
        [bin_of("hlobuf-view"), "--format=json", folder],
        [bin_of("hlobuf-verify"), "--no-config", "--summary", folder],
        [bin_of("hlobuf-verify"), "--no-config", "--max-peak=1TiB", folder],
        [bin_of("hlobuf-verify"), "--no-config", "--emit=dump", folder],
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        if done.returncode != 2 or not done.stdout + done.stderr:
            yield f"{' '.join(command[:-1])}: status {done.returncode}"


def one_dump(arguments, number, assignment, scratch):
    """Counts outcomes of all cuts of one dump, and shows those that are wrong."""
    rng = random.Random(number)
    stem, files = read_dump(assignment)
    name = os.path.basename(stem)
    counts, wrong = collections.Counter(), []
    root = os.path.join(scratch, str(number))
    write_dump(os.path.join(root, "sound"), files, name)
    tool = os.path.join(arguments.tools, "hlobuf-verify")
    status, reports = verify(tool, os.path.join(root, "sound"))
    if status != 0 or any(report["findings"] for report in reports.values()):
        shutil.rmtree(root)
        return counts, wrong
    counts["dumps"] += 1
    for tail, data in files.items():
        batch = os.path.join(root, "batch")
        cuts = places(data, arguments.places, arguments.lines, rng)
        for cut in cuts:
            write_dump(os.path.join(batch, str(cut)), files | {tail: data[:cut]}, name)
        status, reports = verify(tool, batch) if cuts else (2, {})
        outcomes = collections.Counter()
        for cut in cuts:
            folder = os.path.join(batch, str(cut))
            outcome = judge(reports.get(folder), name + tail)
            if outcome == "whole" and data[cut - 1] != 10:
                outcome = "whole in the middle of a line"
            if outcome == "ok" and rng.random() < arguments.others:
                counts["by other tools"] += 1
                refused = other_tools(arguments, folder, os.path.join(root, "sound"))
                wrong += [f"{assignment} {tail} at {cut}: {said}" for said in refused]
            outcomes[outcome] += 1
            if outcome == "whole":
                counts["whole: " + tail] += 1
                if arguments.show_whole:
                    print("whole:", stem + tail, "at", cut, flush=True)
            elif outcome != "ok":
                wrong.append(f"{assignment} {tail} at {cut}: {outcome}")
        if status != 2 and outcomes["ok"]:
            wrong.append(f"{assignment} {tail}: status {status}")
        counts["cuts"] += len(cuts)
        counts["files"] += 1
        shutil.rmtree(batch, ignore_errors=True)
    shutil.rmtree(root)
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=80, help="in each file")
    parser.add_argument("--lines", type=int, default=0, help="line ends in each file")
    parser.add_argument("--tools", default=os.path.dirname(shutil.which("hlobuf-verify") or ""))
    parser.add_argument("--others", type=float, default=0, help="share for other tools")
    parser.add_argument("--dumps", type=int, default=1 << 30)
    parser.add_argument("--largest", type=int, default=1 << 20, help="bytes of a file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--show-whole", action="store_true")
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    found = [
        path
        for folder in arguments.folders
        for path in sorted(glob.glob(folder + "/**/*" + TAILS[0], recursive=True))
        if os.path.getsize(path) <= arguments.largest
    ]
    if len(found) > arguments.dumps:
        found = random.Random(1).sample(found, arguments.dumps)
    counts, wrong = collections.Counter(), []
    with (
        tempfile.TemporaryDirectory() as scratch,
        concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool,
    ):
        work = [pool.submit(one_dump, arguments, *each, scratch) for each in enumerate(found)]
        for each in work:
            some, bad = each.result()
            counts += some
            for line in bad[: max(0, arguments.show - len(wrong))]:
                print("WRONG", line, flush=True)
            wrong += bad
    for key in sorted(counts):
        if key.startswith("whole"):
            print(f"{key}: {counts[key]}")
    whole = sum(n for key, n in counts.items() if key.startswith("whole"))
    print(
        f"{counts['dumps']} dumps, {counts['files']} files, {counts['cuts']} cuts "
        f"({counts['by other tools']} by other tools): {whole} whole, {len(wrong)} wrong"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
