"""The lines of README and docs run as they are: pip, pytest, pre-commit, lit
and Ray in a user's project, and the commands that build a clone.

REQUIRES: jax
RUN: %venv-python %s
"""

import os
import re
import sys

from support import HERE, LLVM_TOOLS, ROOT, VENV, clean_place, environment, run
from support import new_venv

JAX = os.environ["HLOBUF_JAX_PYTHON"]
SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"


def main():
    place = clean_place()
    # jax has its own environment, which stays as it is: the user's one sees it.
    programs = new_venv(place / "venv", "hlobuf", "lit", "pytest", python=JAX)
    site = run(programs / "python", "-c", SITE).strip()
    with open(os.path.join(site, "jax.pth"), "w", encoding="utf-8") as f:
        f.write(run(JAX, "-c", SITE))
    (programs / "pre-commit").symlink_to(VENV / "bin" / "pre-commit")

    env = environment(
        [programs, LLVM_TOOLS],
        GIT_CONFIG_GLOBAL="/dev/null",
        RAY_USAGE_STATS_ENABLED="0",
        RAY_NUM_CPUS="2",
    )
    script = HERE.parent / "docs" / "run_commands.py"
    given = [f"packages={programs}", f"jax={JAX}", f"ray={place / 'ray'}"]
    # Ray is large and already there, the package next to it is the installed one.
    (place / "ray").write_text(
        f"#!/bin/sh\nPYTHONPATH={site} exec {VENV / 'bin' / 'python'} \"$@\"\n"
    )
    (place / "ray").chmod(0o755)
    text = run(sys.executable, script, ROOT, *given, env=env)
    assert re.search(r"^[1-9]\d* blocks, 0 failed$", text, re.M), text


main()
