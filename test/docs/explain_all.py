"""Runs --explain for every check that it lists."""
import subprocess


def run(*arguments):
    return subprocess.run(
        ["hlobuf-verify", *arguments], capture_output=True, text=True, check=True
    ).stdout


ids = [line.split()[0] for line in run("--explain").splitlines()]
assert len(ids) > 40, ids
for check in ids:
    page = run("--explain=" + check)
    assert page.startswith(f"# {check}\n"), check
    for heading in ("## What it checks", "## Why it must hold", "## Example"):
        assert heading in page, (check, heading)
