"""docs/cluster/verify_many.py on a real Ray of two workers says what a single run
of hlobuf-verify says, and utils/hunt files each unit that Ray does once.

RUN: %venv-python %s
"""

import json
import shutil

from support import (
    BUILD,
    CLEAN,
    INPUTS,
    ROOT,
    VENV,
    clean_place,
    environment,
    expect,
    new_venv,
    run,
)

PROGRAM = ROOT / "docs" / "cluster" / "verify_many.py"


def hunt(place, env):
    tests, python = ROOT / "test" / "reduce", VENV / "bin" / "python"
    options = ["--ray=local", "--workers=3", "--units=4", "--batch=5", "--reducer="]
    options += [f"--compiler=cpu={python}", f"--tool={BUILD / 'bin' / 'hlobuf-verify'}"]
    options += [f"--judge={tests / 'stand_in_judge.py'}", "--families", "random"]
    text = run(python, ROOT / "utils" / "hunt", place / "hunt", *options, env=env)
    expect("in-place-hazard, a-row-is-read", text)
    done = run(python, tests / "hunt_units.py", place / "hunt", env=env)
    expect("each program of each unit is there once", done)


def main():
    place = clean_place()
    dumps = place / "dumps"
    shutil.copytree(
        INPUTS, dumps / "inputs", ignore=shutil.ignore_patterns("protos")
    )
    for copy in range(20):
        shutil.copytree(CLEAN, dumps / f"copy-{copy}")
    # Ray is large and already there; the package is what is tested.
    new_venv(place / "venv")
    site = place / "site"
    run(VENV / "bin" / "pip", "install", "-q", "--target", site, "hlobuf")
    env = environment(
        PYTHONPATH=str(site), RAY_USAGE_STATS_ENABLED="0", RAY_NUM_CPUS="2"
    )

    def verify_many(*arguments, status):
        output = place / "results.jsonl"
        command = [VENV / "bin" / "python", PROGRAM, dumps, f"--output={output}"]
        text = run(*command, *arguments, env=env, status=status)
        return text, output.read_text().splitlines()

    single = run(
        VENV / "bin" / "python",
        "-m",
        "hlobuf",
        "--format=json",
        dumps,
        env=env,
        status=1,
    ).splitlines()
    assert len(single) == 39, len(single)

    text, lines = verify_many("--shards=7", status=1)
    expect(["26 sound", "13 with errors", "0 unreadable"], text)
    assert sorted(lines) == sorted(single)

    text, lines = verify_many("--shards=40", "--", "--checks=-*,numbering", status=0)
    expect(["39 sound", "0 with errors"], text)
    assert {json.loads(line)["verified"] for line in lines} == {1}

    hunt(place, env)

    [text] = (dumps / "copy-3").glob("*-buffer-assignment.txt")
    text.write_bytes(b"\x1f\x8b no gzip")
    expect("1 unreadable", verify_many("--shards=3", status=2)[0])


main()
