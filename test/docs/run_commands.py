"""run_commands.py ROOT [FRAMEWORK=PYTHON...]: runs what README and docs show.

Each page has a folder of its own with sound dumps in `dumps` and a broken one in
`broken`. Its blocks run there from top to bottom, by their language:

  sh      each line is a command, which ends with 0 or as `# exit status N` says
  yaml    a .hlobuf.yaml, read by --config --dump-config
  python  a program if it imports anything, else it has to compile
  json    fits the schema, where jsonschema is there
  others  must be what run_examples.py makes, or come from a file

<!-- save: NAME --> before a block of python writes it to NAME. Where no Python
for its framework is given (jax=PYTHON), it is replaced by a stand-in that dumps.
<!-- from: FILE --> says that a block stands in a file.
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
INPUTS = ROOT / "test" / "Inputs"
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>output|save|from): (?P<what>[^\n]*) -->\n)?"
    r"^ *```(?P<language>[^\n]*)\n(?P<text>.*?)^ *```$",
    re.M | re.S,
)
STATUS = re.compile(r"# exit status (\d+)$")
FRAMEWORK = re.compile(r"^import (jax|tensorflow|torch_xla)\b", re.M)

# Commands that cannot run here: why, and which file runs them with what text.
ELSEWHERE = {
    r"utils/verify( /tmp/dumps)?": ("builds us", ".ci/run", "utils/verify"),
    r"utils/test": ("runs us", ".ci/run", "utils/test"),
    r"pip install \.": ("builds us", "utils/test-packages", '" wheel --no-build'),
    r"pytest --hlobuf tests": ("needs pytest", "test/package/pytest_plugin.py", '"--hlobuf"'),
    r"pre-commit install": ("needs pre-commit", "test/package/pre_commit.py", '"install"'),
    r"pre-commit run --all-files": ("needs pre-commit", "test/package/pre_commit.py", '"pre-commit"'),
    r"lit -v tests": ("needs lit", "test/package/lit_project.py", '"lit", "-v"'),
    r"python verify_many\.py .*": ("needs Ray", "test/package/cluster.py", '"--shards=7"'),
}

# A program that XLA compiles for, without XLA.
STAND_IN = """
import os, re, shutil
target = re.search(r"--xla_dump_to=(\\S+)", os.environ["XLA_FLAGS"])[1]
shutil.copytree({dump!r}, target, dirs_exist_ok=True)
"""
REAL = "import os, sys\nos.execv({python!r}, [{python!r}, {program!r}, *sys.argv[1:]])\n"


class Place:
    """The folder in which the blocks of a page run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "python").symlink_to(sys.executable)
        for name in ("clean-cpu", "clean-tpu"):
            shutil.copytree(INPUTS / name, self.folder / "dumps" / name)
        shutil.copytree(INPUTS / "defect-broadcast-copy", self.folder / "broken")
        self.save("train.py", "import jax\njax.jit(lambda x: x + 1)(1.0)\n")
        (self.folder / "tmp").mkdir()
        self.environment = {
            "CUDA_VISIBLE_DEVICES": "",
            "JAX_PLATFORMS": "cpu",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **os.environ,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "python"),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def run(self, command, status=0):
        """What is wrong with `command`, if anything."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
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

    def save(self, name, text):
        framework = FRAMEWORK.search(text)
        if framework:
            python = PYTHONS.get(framework[1])
            if python:
                program = self.folder / f"real-{name}"
                program.write_text(text, encoding="utf-8")
                text = REAL.format(python=python, program=str(program))
            else:
                text = STAND_IN.format(dump=str(INPUTS / "clean-cpu"))
        (self.folder / name).write_text(text, encoding="utf-8")


def run_sh(place, block):
    for line in block["text"].replace("\\\n", "").splitlines():
        status = STATUS.search(line)
        command = re.sub(r"\s+#.*", "", line).strip()
        if not command or command.startswith("#"):
            continue
        yield from run_command(place, command, int(status[1]) if status else 0)


def run_command(place, command, status):
    for pattern, (_, path, text) in ELSEWHERE.items():
        if re.fullmatch(pattern, command):
            if text not in (ROOT / path).read_text(encoding="utf-8"):
                yield f"{path} does not run it any more: {command}"
            return
    yield from place.run(command.replace("/tmp/", f"{place.folder}/tmp/"), status)


def run_python(place, block):
    if block["mark"] == "save":
        place.save(block["what"], block["text"])
    elif re.search(r"^(import|from) ", block["text"], re.M):
        yield from place.run(shlex.join(["python", "-c", block["text"]]))
    else:
        compile(block["text"], "fragment", "exec")


def run_yaml(place, block):
    if block["text"].startswith("repos:"):  # test/package/pre_commit.py
        if block["text"] not in (ROOT / "README.md").read_text(encoding="utf-8"):
            yield "not the hook that the README shows"
        return
    (place.folder / ".hlobuf.yaml").write_text(block["text"], encoding="utf-8")
    yield from place.run("hlobuf-verify --config=.hlobuf.yaml --dump-config")


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
    elif block["language"] in RUN:
        yield from RUN[block["language"]](place, block)
    elif block["mark"] != "output" and not made_by_check(block, page):
        yield "nothing runs this block: see the top of test/docs/run_commands.py"


def made_by_check(block, page):
    """The examples of checks, which run_examples.py runs."""
    return page.parent.name == "checks" and block["language"] in ("hlobuf", "output")


def main():
    blocks = failed = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder)
            text = page.read_text(encoding="utf-8")
            for block in BLOCK.finditer(text):
                blocks += 1
                line = text.count("\n", 0, block.start()) + 1
                for problem in run_block(place, block, page):
                    failed += 1
                    print(f"{page.relative_to(ROOT)}:{line}: {problem}")
    print(f"{blocks} blocks, {failed} failed")


main()
