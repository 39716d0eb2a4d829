"""A user's project with its own lit suite over what its compiler dumps, run as they
would run it: with lit from PyPI, and hlobuf-verify from the wheel.

RUN: %venv-python %s
"""

import shutil

from support import HERE, LLVM_TOOLS, clean_place, environment, expect, new_venv, run


def main():
    place = clean_place()
    programs = new_venv(place / "venv", "hlobuf", "lit")
    project = place / "project"
    shutil.copytree(HERE / "lit-project", project)
    env = environment([programs, LLVM_TOOLS], TOYC_OUTPUT=str(place / "output"))

    def lit(status):
        return run("lit", "-v", project / "tests", env=env, status=status)

    expect("Passed: 3", lit(0))
    # As the docs have it, without any preparation.
    bare = environment([programs, LLVM_TOOLS], TMPDIR=str(place))
    expect("Passed: 3", run("lit", "-v", "tests", env=bare, cwd=project))

    # A test suite that cannot fail is worth nothing.
    kept = project / "tests" / "eager.txt"
    text = kept.read_text()
    kept.write_text(text.replace("overlaps live value", "is next to"))
    expect(["Passed: 2", "Failed: 1", "eager.txt"], lit(1))
    kept.write_text(text.replace("<1 b @0> (size=32,offset=0)", "<1 b @0> (size=32,offset=32)"))
    expect(["Passed: 2", "Failed: 1"], lit(1))
    kept.write_text(text)
    planner = project / "toyc.py"
    planner.write_text(planner.read_text().replace("2 * eager", "2"))
    expect(["reuse.toy", "[buffer-overlap]", "Failed: 1"], lit(1))


main()
