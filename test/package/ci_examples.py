"""The examples for GitHub and GitLab follow the schemas of their owners, and what
they run does what they say, on the wheel.

RUN: %venv-python %s
"""

import shutil

import yaml
from support import (
    BROKEN,
    CLEAN,
    ROOT,
    VENV,
    WHEELS,
    clean_place,
    environment,
    expect,
    new_venv,
    run,
)

EXAMPLES = ROOT / "docs" / "ci"


def check_schema(vendor, path):
    check = [VENV / "bin" / "check-jsonschema", "--builtin-schema", f"vendor.{vendor}"]
    run(*check, path)
    # The schema would see a mistake.
    wrong = clean_place() / path.name
    wrong.write_text(path.read_text() + "\nparallel: [many]\njobs: 3\n")
    run(*check, wrong, status=1)


def check_job(title, commands, reports, **variables):
    """Runs what a job runs: it succeeds on sound and known dumps, and fails on new
    findings; either way its reports are there."""
    place = clean_place()
    programs = new_venv(place / "venv")
    env = environment([programs], **variables)

    def job(status):
        return run(
            "bash", "-eo", "pipefail", "-c", commands, status=status, env=env, cwd=place
        )

    shutil.copytree(CLEAN, place / "dumps" / "clean")
    shutil.copytree(BROKEN, place / "dumps" / "known")
    (place / "wheels").mkdir()
    for wheel in WHEELS.glob("hlobuf-*.whl"):
        shutil.copy(wheel, place / "wheels")
    run(programs / "pip", "install", "-q", "hlobuf", env=env)
    # The command that the comments of the examples give.
    baseline = "hlobuf-verify --write-baseline=hlobuf-baseline.json dumps"
    expect(baseline, (EXAMPLES / title).read_text())
    run(*baseline.split(), env=env, cwd=place)
    assert (place / "hlobuf-baseline.json").is_file()

    job(0)
    [text] = (place / "dumps" / "clean").glob("*-buffer-assignment.txt")
    text.write_text(text.read_text().replace("allocation 1:", "allocation 7:", 1))
    for name in reports:
        (place / name).unlink()
    expect("numbering", job(1))
    for name in reports:
        expect("numbering", (place / name).read_text())


def main():
    check_schema("github-workflows", EXAMPLES / "github.yml")
    check_schema("gitlab-ci", EXAMPLES / "gitlab.yml")

    github = yaml.safe_load((EXAMPLES / "github.yml").read_text())
    steps = github["jobs"]["verify"]["steps"]
    commands = "\n".join(step["run"] for step in steps if "run" in step)
    check_job("github.yml", commands, ["hlobuf.sarif", "hlobuf.xml"])

    gitlab = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())
    install = gitlab[".hlobuf"]["before_script"]
    for name, report in (("verify", "hlobuf.xml"), ("verify-many", "hlobuf-1.xml")):
        commands = "\n".join([*install, *gitlab[name]["script"]])
        check_job(
            "gitlab.yml", commands, [report], CI_NODE_INDEX="1", CI_NODE_TOTAL="1"
        )


main()
