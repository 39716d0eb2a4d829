#!/usr/bin/env python3
"""Verifies large folders of dumps on a Ray cluster, whose machines all see them.

    pip install ./hlobuf-*.whl ray    # a wheel that utils/wheel built
    python verify_many.py /shared/dumps --output=results.jsonl --shards=256

Each task is a shard of the folders, `hlobuf-verify --shard=I/N`, which decides by
itself what belongs to it; a task that is lost with its machine runs again. What
the tasks print is put together: a line of JSON a dump. After `--` come
further options of hlobuf-verify, say --baseline=/shared/baseline.json.

The exit status is that of hlobuf-verify: 0 no errors, 1 errors, 2 a dump could not
be read. Without --address, Ray uses the cores of this machine.
"""

import argparse
import collections
import json
import sys

import hlobuf
import ray

STATUSES = {"sound": "sound", "errors": "with errors", "unreadable": "unreadable"}


@ray.remote
def verify_shard(shard, arguments):
    """The lines of one shard. One thread, since Ray counts a task as one core."""
    return hlobuf.json_lines([f"--shard={shard}", "--jobs=1", *arguments])


def options_and_rest():
    """Our own options, and those after `--`."""
    ours, rest = sys.argv[1:], []
    if "--" in ours:
        rest = ours[ours.index("--") + 1 :]
        ours = ours[: ours.index("--")]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("folders", nargs="+", metavar="FOLDER")
    add("--output", required=True, metavar="FILE", help="where the JSON goes")
    add("--shards", type=int, default=64, metavar="N", help="tasks (default: 64)")
    add("--address", help="the cluster, e.g. auto (default: this machine)")
    return parser.parse_args(ours), rest


def main():
    options, rest = options_and_rest()
    # Logs of other programs on the machines would get between the lines.
    ray.init(address=options.address, log_to_driver=False)
    arguments = ray.put([*rest, *options.folders])
    shards = [f"{i}/{options.shards}" for i in range(options.shards)]
    tasks = [verify_shard.remote(shard, arguments) for shard in shards]

    counts = collections.Counter()
    with open(options.output, "w", encoding="utf-8") as output:
        for task in tasks:
            for line in ray.get(task):
                output.write(line + "\n")
                counts[json.loads(line)["status"]] += 1
    for status, words in STATUSES.items():
        print(f"{counts[status]} {words}")
    if counts["unreadable"]:
        return 2
    return 1 if counts["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
