"""malformed_attributes.py FOLDER: damages each attribute of the module in FOLDER, and each
key of its header, in several ways. Every one must be unreadable: what cannot be parsed
is not taken for nothing. Prints how many were tried for each key.
"""

import collections
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
module = (folder / "m.txt").read_text()
ITEM = re.compile(r", (?P<key>[a-z_-]+)=(?P<value>[^\n]*?)(?=, [a-z_-]+=|\n)")
# Keys without which an instruction is unreadable; others may be missing.
NEEDED = set(
    "dimensions direction dim_labels dynamic_slice_sizes index iota_dimension kind padding "
    "slice collapsed_slice_dims index_vector_dim offset_dims slice_sizes start_index_map "
    "inserted_window_dims scatter_dims_to_operand_dims update_window_dims "
    "lhs_contracting_dims rhs_contracting_dims custom_call_target".split()
)


def damaged(key, value):
    yield f", {key}={value}, {key}={value}"
    if key == "metadata":  # nobody reads it, but what comes after it
        yield f", {key}={value},calls=%q"
        yield f", {key}={value} calls=%q"
        return
    yield f", {key}={value}zz"
    yield f", {key}={value[:-1]}" if len(value) > 1 else f", {key}=zz"
    yield f", {key}=zz{value}"
    yield f", {key}{{{value}"
    if key == "source_target_pairs":
        yield f", {key}={value.replace('}', ',2}', 1)}"
        yield f", {key}={{{value}}}"
    if key == "control-predecessors":
        yield f", {key}"
        for names in "p,p", ",,p", ", p", "p, ", "p q":
            yield f", {key}={{{names}}}"
    if key in NEEDED:
        yield f", {key}s={value}"


tried = collections.Counter()
for item in ITEM.finditer(module):
    key = item["key"]
    for number, text in enumerate(damaged(key, item["value"])):
        (folder / "m.txt").write_text(module[: item.start()] + text + module[item.end() :])
        command = ["hlobuf-verify", "--no-config", f"{folder}/m-buffer-assignment.txt"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 2 or "[unreadable]" not in done.stdout + done.stderr:
            print(f"{text}: exit status {done.returncode}")
        tried[key] += 1
for key, count in sorted(tried.items()):
    print(f"{key}: {count}")
