#!/usr/bin/env python3
"""recompile.py OUT [--platform cpu|tpu|cuda] [--only REGEX] [--target-config FILE]: compiles
programs that waste memory, and the same programs changed as the lint's hint says, for
measure_saved.py; needs jax, and libtpu for TPU. Nothing is executed.

Each program is OUT/<lint>/<program>-<platform>/{before,after} with one dump in each.
"""

import argparse
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

# First: it says what jax is to be.
from ahead_of_time import compile_into, place  # isort: skip
import copied_programs  # noqa: F401
import donated_programs  # noqa: F401
import held_programs  # noqa: F401
from lint_programs import PROGRAMS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--platform", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--target-config", default="")
    options = parser.parse_args()
    placed = place(options.platform, target_config=options.target_config)
    for lint, name, build in PROGRAMS:
        if not re.search(options.only, f"{lint}/{name}"):
            continue
        for changed in (False, True):
            folder = options.out / lint / f"{name}-{options.platform}"
            folder /= "after" if changed else "before"
            compile_into(folder, *build(changed), placed)


if __name__ == "__main__":
    sys.exit(main())
