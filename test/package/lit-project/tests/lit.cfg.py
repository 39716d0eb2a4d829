"""The tests of this project's compiler, for lit as it comes from PyPI."""

import os
import sys
import tempfile

import lit.formats

config.name = "toyc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".toy", ".txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ.get(
    "TOYC_OUTPUT", os.path.join(tempfile.gettempdir(), "toyc-tests")
)
config.environment["PATH"] = os.environ["PATH"]
compiler = os.path.join(config.test_source_root, os.pardir, "toyc.py")
config.substitutions.append(("%toyc", f"{sys.executable} {compiler}"))
