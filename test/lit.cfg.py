"""lit's configuration: every *.test file in this folder is a test.

A .test file is mostly a dump: the reader takes lines that begin with // as
comments, so they can hold RUN: and CHECK: lines.

  hlobuf-verify, FileCheck, not, split-file, count   programs, by their names
  %inputs   test/Inputs, whole dumps
  %root     the repository
  %corpus   a folder of further real dumps; needs REQUIRES: corpus
  %sabotaged        hlobuf-verify with a kernel that can be broken (proof/sabotage.py)
  %print-dump       prints dumps back from the model (emit/PrintDump.cpp)
  %python, %cmake   as the build uses them
  %jax-python       a Python with jax; needs REQUIRES: jax
"""

import os
import subprocess

import lit.formats

config.name = "hlobuf"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.join(config.source_root, "test")
config.test_exec_root = os.path.join(config.binary_root, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.tools_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
# A sanitizer's finding must not look like exit status 1, which tests expect.
# LLVM's allocators poison memory in their headers, which are ours to compile, and
# lift that in its library, which is not.
config.environment["ASAN_OPTIONS"] = (
    "abort_on_error=1:strict_string_checks=1:allow_user_poisoning=0"
)
config.environment["UBSAN_OPTIONS"] = "abort_on_error=1:print_stacktrace=1"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

corpus = os.environ.get("HLOBUF_CORPUS") or os.path.join(
    config.source_root, os.pardir, "shared"
)
corpus = os.path.abspath(corpus)
if os.path.isdir(os.path.join(corpus, "corpus")):
    config.available_features.add("corpus")
else:
    lit_config.note(
        "tests on the corpus are skipped: set HLOBUF_CORPUS to a folder that "
        "has corpus/ in it"
    )

if not subprocess.run(
    [config.python, "-c", "import jsonschema"], stderr=subprocess.DEVNULL, check=False
).returncode:
    config.available_features.add("jsonschema")

# A Python with jax and libtpu, for tests with real compilers.
jax_python = os.environ.get("HLOBUF_JAX_PYTHON")
if jax_python:
    config.available_features.add("jax")
    config.substitutions.append(("%jax-python", jax_python))

# Pythons with PyTorch/XLA and with TensorFlow.
for framework in ("torch", "tensorflow"):
    python = os.environ.get(f"HLOBUF_{framework.upper()}_PYTHON")
    if python:
        config.available_features.add(framework)
        config.substitutions.append((f"%{framework}-python", python))

# A test that waits forever fails by its name. lit needs psutil for that, and has the limit
# in the configuration from LLVM 22 on.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    limited = config if hasattr(config, "maxIndividualTestTime") else lit_config
    limited.maxIndividualTestTime = 1500  # while other phases of .ci/run go on

config.available_features.add("llvm-" + config.llvm_version)
if config.sanitize:
    config.available_features.add("sanitize")

config.substitutions += [
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%root", config.source_root),
    ("%corpus", corpus),
    ("%sabotaged", os.path.join(config.test_exec_root, "proof/hlobuf-verify-sabotaged")),
    ("%print-dump", os.path.join(config.test_exec_root, "emit/PrintDump")),
    ("%python", config.python),
    ("%cmake", config.cmake),
]
