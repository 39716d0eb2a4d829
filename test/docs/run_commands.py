"""run_commands.py ROOT [packages=FOLDER] [FRAMEWORK=PYTHON...]: runs what the pages of
ROOT and docs show.

Each page has a folder of its own with sound dumps in `dumps` and a broken one in
`broken`, protos in `protos`, and `module.before_optimizations.txt`. Its blocks run there
from top to bottom, by their language:

  sh      each line is a command, which ends with 0 or as `# exit status N` says
  yaml    a .hlobuf.yaml, read by --config
  python  a program if it imports anything, else it has to compile
  text    what a command prints, where <!-- prints: COMMAND --> is before it and
          the frameworks are there
  json    fits the schema, where jsonschema is there
  others  must be what run_examples.py makes, or come from a file

<!-- save: NAME --> before a block of python writes it to NAME. Where no Python
for its framework is given (jax=PYTHON), it is replaced by a stand-in that dumps:
test/Inputs/clean-cpu, or the folder that <!-- save: NAME, dumps FOLDER --> says, which
holds the same program if it holds one of that name.
<!-- from: FILE --> says that a block is in a file. The configuration of pre-commit
has the pattern of .pre-commit-hooks.yaml. No pattern is left to the shell: zsh refuses
those that match no file.

What needs a clone to build or the user's own programs runs where `packages` is a
folder of programs, hlobuf-verify as pip installs it among them: test/package/docs.py.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
PYTHONS = dict(argument.split("=", 1) for argument in sys.argv[2:])
PACKAGES = pathlib.Path(PYTHONS["packages"]) if "packages" in PYTHONS else None
INPUTS = ROOT / "test" / "Inputs"
MODULE = pathlib.Path(__file__).parents[1] / "reduce" / "Inputs" / "program.hlo.txt"
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>output|save|from|prints): (?P<what>[^\n]*) -->\n)?"
    r"^ *```(?P<language>[^\n]*)\n(?P<text>.*?)^ *```$",
    re.M | re.S,
)
PATTERN = re.compile(r"files: *'(.*)'")
GLOB = re.compile(r"(?<!['\"])--[a-z-]+=[^\s'\"`]*\*")
STATUS = re.compile(r"# exit status (\d+)$")
FRAMEWORK = re.compile(r"^import (jax|tensorflow|torch_xla|ray)\b", re.M)

# These run where packages are given; the last one is .ci/run's own.
NEEDS_PACKAGES = re.compile(
    r"utils/verify( /tmp/dumps)?|pip install -v \.|pytest --hlobuf tests"
    r"|pre-commit (install|run --all-files)|lit -v tests|python verify_many\.py .*"
)
NEEDS_CLONE = re.compile(r"utils/\w+.*|pip install -v \.")
RUN_BY_CI = "utils/test"

# A program that XLA compiles for, without XLA.
STAND_IN = """
import os, re, shutil
target = re.search(r"--xla_dump_to=(\\S+)", os.environ.get("XLA_FLAGS", ""))
if target:
    shutil.copytree({dump!r}, target[1], dirs_exist_ok=True)
"""
REAL = "import os, sys\nos.execv({python!r}, [{python!r}, {program!r}, *sys.argv[1:]])\n"


class Place:
    """The folder in which the blocks of a page run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.real = set()  # programs that a real framework runs
        for name in ("bin", "tmp"):
            (self.folder / name).mkdir()
        python = PACKAGES / "python" if PACKAGES else sys.executable
        (self.folder / "bin" / "python").write_text(f'#!/bin/sh\nexec {python} "$@"\n')
        (self.folder / "bin" / "python").chmod(0o755)
        for name in ("clean-cpu", "clean-tpu"):
            shutil.copytree(INPUTS / name, self.folder / "dumps" / name)
        shutil.copytree(INPUTS / "defect-broadcast-copy", self.folder / "broken")
        shutil.copytree(INPUTS / "protos", self.folder / "protos")
        shutil.copy(MODULE, self.folder / "module.before_optimizations.txt")
        self.save("train.py", "import jax\njax.jit(lambda x: x + 1)(1.0)\n")
        path = [self.folder / "bin", *([PACKAGES] if PACKAGES else [])]
        self.environment = {
            "CUDA_VISIBLE_DEVICES": "",
            "JAX_PLATFORMS": "cpu",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **os.environ,
            "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
            "TMPDIR": str(self.folder / "tmp"),
        }
        if PACKAGES:
            self.make_project()
        else:
            self.environment["PYTHONPATH"] = str(ROOT / "python")

    def make_project(self):
        """A project with tests of its own, in a git repository with sound dumps."""
        examples = ROOT / "test" / "package"
        shutil.copytree(examples / "lit-project", self.folder, dirs_exist_ok=True)
        shutil.copy(examples / "pytest-project" / "test_sound.py", self.folder / "tests")
        cluster = (ROOT / "docs" / "cluster" / "verify_many.py").read_text()
        self.save("verify_many.py", cluster)
        self.environment["PRE_COMMIT_HOME"] = str(self.folder / "tmp" / "pre-commit")
        for problem in self.run("git init -q && git add dumps"):
            sys.exit(problem)

    def run(self, command, status=0, cwd=None):
        """What is wrong with `command`, if anything."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=cwd or self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode == status:
            return []
        return [f"exit status {done.returncode}: {command}\n{done.stdout}"]

    def save(self, name, text, dump=""):
        """Returns what is wrong with it, if anything."""
        dump = ROOT / dump if dump else INPUTS / "clean-cpu"
        same = dump / name
        problems = []
        if same.exists() and same.read_text(encoding="utf-8") != text:
            problems.append(f"is not {same.relative_to(ROOT)}, whose dump is shown")
        framework = FRAMEWORK.search(text)
        if framework:
            python = PYTHONS.get(framework[1])
            if python:
                self.real.add(name)
                program = self.folder / f"real-{name}"
                program.write_text(text, encoding="utf-8")
                text = REAL.format(python=python, program=str(program))
            else:
                text = STAND_IN.format(dump=str(dump))
        (self.folder / name).write_text(text, encoding="utf-8")
        return problems


def run_sh(place, block):
    for line in block["text"].replace("\\\n", "").splitlines():
        status = STATUS.search(line)
        command = re.sub(r"\s+#.*", "", line).strip()
        if not command or command.startswith("#"):
            continue
        yield from run_command(place, command, int(status[1]) if status else 0)


def run_command(place, command, status):
    if command == RUN_BY_CI:
        if command not in (ROOT / ".ci" / "run").read_text(encoding="utf-8"):
            yield f".ci/run does not run it any more: {command}"
    elif PACKAGES or not NEEDS_PACKAGES.fullmatch(command):
        cwd = ROOT if NEEDS_CLONE.fullmatch(command) else None
        if command.startswith("utils/"):  # the user has dumps there
            command = command.replace("/tmp/", f"{place.folder}/")
        else:
            command = command.replace("/tmp/", f"{place.folder}/tmp/")
        yield from place.run(command, status, cwd)


def run_python(place, block):
    if block["mark"] == "save":
        name, _, dump = block["what"].partition(", dumps ")
        yield from place.save(name, block["text"], dump)
    elif re.search(r"^(import|from) ", block["text"], re.M):
        yield from place.run(shlex.join(["python", "-c", block["text"]]))
    else:
        compile(block["text"], "fragment", "exec")


def run_yaml(place, block):
    if block["text"].startswith("repos:"):
        hooks = place.folder / ".pre-commit-config.yaml"
        hooks.write_text(block["text"], encoding="utf-8")
        offered = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        if PATTERN.search(block["text"])[1] != PATTERN.search(offered)[1]:
            yield "its pattern of files is not that of .pre-commit-hooks.yaml"
        return
    (place.folder / ".hlobuf.yaml").write_text(block["text"], encoding="utf-8")
    yield from place.run("hlobuf-verify --config=.hlobuf.yaml --emit=dump dumps")


def check_output(place, block):
    """Compares a text with what a program of the page prints."""
    command = shlex.split(block["what"])
    if not place.real.intersection(command):
        return
    done = subprocess.run(
        command, cwd=place.folder, env=place.environment, capture_output=True, text=True
    )
    if done.stdout != block["text"]:
        yield f"prints something else: {block['what']}\n{done.stdout}{done.stderr}"


def run_json(place, block):
    del place
    data = json.loads(block["text"])
    try:
        import jsonschema
    except ImportError:
        return []
    schema = (ROOT / "docs" / "schema" / "hlobuf-1.schema.json").read_text()
    jsonschema.validate(data, json.loads(schema))
    return []


RUN = {"sh": run_sh, "python": run_python, "yaml": run_yaml, "json": run_json}


def run_block(place, block, page):
    """The problems of a block."""
    if block["mark"] == "from":
        for path in ROOT.glob(block["what"]):
            if block["text"] in path.read_text(encoding="utf-8"):
                return
        yield f"not in {block['what']}"
    elif block["mark"] == "prints":
        yield from check_output(place, block)
    elif block["language"] in RUN:
        yield from RUN[block["language"]](place, block)
    elif block["mark"] != "output" and not made_by_check(block, page):
        yield "nothing runs this block: see the top of test/docs/run_commands.py"


def made_by_check(block, page):
    """The examples of checks, which run_examples.py runs."""
    return page.parent.name == "checks" and block["language"] in ("hlobuf", "diff", "output")


def main():
    blocks = failed = 0
    for page in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder)
            text = page.read_text(encoding="utf-8")
            for unquoted in GLOB.findall(text):
                failed += 1
                print(f"{page.relative_to(ROOT)}: needs quotes for zsh: {unquoted}")
            for block in BLOCK.finditer(text):
                blocks += 1
                line = text.count("\n", 0, block.start()) + 1
                for problem in run_block(place, block, page):
                    failed += 1
                    print(f"{page.relative_to(ROOT)}:{line}: {problem}")
    print(f"{blocks} blocks, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
