"""The real pre-commit, offline, from the wheel: a broken dump is refused, a mended
one is committed, and so are files that belong to no dump. A program over the budget
of .hlobuf.yaml is refused.

RUN: %venv-python %s
"""

import re
import shutil

from support import (
    BROKEN,
    CLEAN,
    ROOT,
    VENV,
    assignment,
    clean_place,
    environment,
    expect,
    new_venv,
    run,
)

# A repository that only names the package: pre-commit installs it from there, and
# so the program from a wheel instead of from its source.
MIRROR = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "mirror-of-hlobuf-verify"
version = "0.0.0"
dependencies = ["hlobuf"]
[tool.setuptools]
py-modules = []
"""


class Repository:
    """A git repository that uses the hook."""

    def __init__(self, folder, env, config):
        self.folder, self.env = folder, env
        self.git("init", "-q")
        (folder / ".pre-commit-config.yaml").write_text(config)
        run(VENV / "bin" / "pre-commit", "install", cwd=folder, env=env)
        self.commit()

    def git(self, *arguments, status=0):
        return run("git", *arguments, cwd=self.folder, env=self.env, status=status)

    def commit(self, status=0):
        self.git("add", "-A")
        return self.git("commit", "-q", "-m", "x", status=status)

    def commits(self):
        return int(self.git("rev-list", "--count", "HEAD"))


def check_broken_then_mended(repository):
    """Every commit is refused until the dump is sound."""
    dumps = repository.folder / "dumps"
    shutil.copytree(CLEAN, dumps / "clean")
    text = assignment(dumps / "clean")
    sound = text.read_text()
    text.write_text(sound.replace("allocation 1:", "allocation 7:", 1))
    before = repository.commits()
    expect(["Failed", "[numbering]"], repository.commit(status=1))
    assert repository.commits() == before
    text.write_text(sound)
    expect("Passed", repository.commit())
    assert repository.commits() == before + 1


def check_siblings(repository):
    """A change of a sibling verifies its dump; a lone one is nobody's."""
    dumps = repository.folder / "dumps"
    [ranges] = (dumps / "clean").glob("*-live-range.txt")
    sound = ranges.read_text()
    ranges.write_text(sound.replace(":0-", ":1-", 1))
    expect("Failed", repository.commit(status=1))
    ranges.write_text(sound)
    repository.git("checkout", "HEAD", "--", ".")
    (dumps / "lone").mkdir()
    for tail in (
        ".after_optimizations.txt",
        "-memory-usage-report.txt",
        "-live-range.txt",
    ):
        [sibling] = BROKEN.glob("*" + tail)
        shutil.copy(sibling, dumps / "lone")
    expect("Passed", repository.commit())
    (dumps / "notes.txt").write_text("of no dump\n")
    expect("Skipped", repository.commit())


def check_budget(repository):
    """A program that needs more than its budget is refused, and its largest values are
    named; the same dump is committed once the budget allows it."""
    budget = repository.folder / ".hlobuf.yaml"
    dumps = repository.folder / "dumps" / "budget"
    before = repository.commits()
    budget.write_text("budgets:\n- module: jit_update*\n  max: 64KiB\n")
    shutil.copytree(CLEAN, dumps)
    refused = repository.commit(status=1)
    expect(["Failed", "over the budget of 64.0KiB", "[memory-budget]", "table"], refused)
    assert repository.commits() == before
    budget.write_text("budgets:\n- module: jit_update*\n  max: 66KiB\n")
    expect("Passed", repository.commit())
    assert repository.commits() == before + 1


def main():
    place = clean_place()
    env = environment(
        [new_venv(place / "venv", "hlobuf"), VENV / "bin"],
        PRE_COMMIT_HOME=str(place / "home"),
        GIT_CONFIG_GLOBAL="/dev/null",
        GIT_CONFIG_NOSYSTEM="1",
        **{
            f"GIT_{who}_{what}": "t@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    )
    (place / "mirror").mkdir()
    (place / "mirror" / "pyproject.toml").write_text(MIRROR)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", place / "mirror")
    run("git", "init", "-q", cwd=place / "mirror", env=env)
    run("git", "add", "-A", cwd=place / "mirror", env=env)
    run("git", "commit", "-q", "-m", "x", cwd=place / "mirror", env=env)
    rev = run("git", "rev-parse", "HEAD", cwd=place / "mirror", env=env).strip()

    hosted = f"""\
repos:
  - repo: {place / "mirror"}
    rev: {rev}
    hooks:
      - id: hlobuf-verify
"""
    page = (ROOT / "docs" / "integrations.md").read_text()
    [local] = re.findall(
        r"^```yaml\n(repos:\n.*?)^```", page, re.MULTILINE | re.DOTALL
    )
    for name, config in (("hosted", hosted), ("local", local)):
        (place / name).mkdir()
        repository = Repository(place / name, env, config)
        check_broken_then_mended(repository)
        check_siblings(repository)
        check_budget(repository)


main()
