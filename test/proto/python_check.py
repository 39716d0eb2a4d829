"""python_check.py PROTOS: the package on executables, without jax."""

import os
import sys
import types
from pathlib import Path

import hlobuf


class Executable:
    """What jax's compiled functions have."""

    def __init__(self, content):
        self.content = content

    def runtime_executable(self):
        return self

    def serialize(self):
        return self.content


protos = Path(sys.argv[1])
verdict = hlobuf.check(Executable((protos / "shift_row.executable").read_bytes()))
print(repr(verdict), verdict.ok)
print("html:", "jit_shift_row" in verdict._repr_html_() and "<pre>" in verdict._repr_html_())
print("picture:", "jit_shift_row" in verdict.plot().html, verdict.plot(height=300).height)
# Where a notebook runs, its files are cells.
files = {"/tmp/ipykernel_36/defect_programs.py": 3}
shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map=files))
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
print(verdict)
del sys.modules["IPython"]
try:
    verdict.plot(module="jit_other")
except hlobuf.InputError as error:
    print("no such module:", error)
del verdict
print("left behind:", os.listdir(os.environ["TMPDIR"]))
try:
    hlobuf.Verdict().plot()
except hlobuf.InputError as error:
    print("nothing to draw:", error)
try:
    hlobuf.check(Executable(b"\x0a\x00\x01"))
except hlobuf.InputError as error:
    print("no buffer assignment:", type(error).__name__)
print("verify:", [report.module for report in hlobuf.verify(protos)])
