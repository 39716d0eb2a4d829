"""fake_jax.py HOW (DUMP EXECUTABLE)...: a program whose compiler is in Inputs/fake_jax. It
compiles each DUMP to EXECUTABLE. HOW is the platform of its client, or:

  old     for a CPU, by a release whose client serializes executables
  fork    for a CPU, the last one in a child of the process that compiled the others
  killed  for a CPU, and a signal ends it
  late    for a CPU, when all the time for saving is over
  full    for a CPU, when all the space is used
"""

import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs" / "fake_jax"))
from jax._src import compiler  # noqa: E402 # pylint: disable=import-error,wrong-import-position

MODES = ("old", "fork", "killed", "late", "full")
how = sys.argv[1]
client = compiler.Client("cpu" if how in MODES else how)
hook = sys.modules["_hlobuf_exec"]
if how == "late":
    hook._SECONDS = hook._SHARE = 0
if how == "full":
    hook._BYTES = 1
options = {"kind": compiler.OldExecutable} if how == "old" else {}


child = None
modules = list(zip(sys.argv[2::2], sys.argv[3::2]))
for module in modules:
    if how == "fork" and module is modules[-1]:
        child = os.fork()
        if child:
            break
    compiler.backend_compile_and_load(client, module, **options)
if child:
    os.waitpid(child, 0)
if how == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
