"""The unit tests, which are one program, as tests of lit."""

import os

import lit.formats

config.name = "hlobuf-unit"
config.test_source_root = os.path.join(config.binary_root, "test", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.environment["ASAN_OPTIONS"] = "abort_on_error=1"
config.environment["UBSAN_OPTIONS"] = "abort_on_error=1:print_stacktrace=1"
