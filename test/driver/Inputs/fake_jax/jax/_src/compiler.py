"""Looks like jax to what watches it: a module is a folder with its dump and the file of its
executable, and both are there already."""

import os
import pathlib
import re
import shutil

COUNT = [0]


class Executable:
    def __init__(self, path):
        self.path = path

    def serialize(self):
        return pathlib.Path(self.path).read_bytes()


class OldExecutable:
    def __init__(self, path):
        self.path = path


class Client:
    def __init__(self, platform):
        self.platform = platform

    def serialize_executable(self, executable):
        return pathlib.Path(executable.path).read_bytes()


def backend_compile_and_load(backend, module, kind=Executable):
    """Dumps as XLA does, with a number for each module."""
    folder, executable = module
    target = re.findall(r"--xla_dump_to=(\S+)", os.environ["XLA_FLAGS"])[-1]
    number = f"module_{COUNT[0]:04}"
    COUNT[0] += 1
    for path in sorted(pathlib.Path(folder).iterdir()):
        shutil.copy(path, os.path.join(target, re.sub(r"module_\d+", number, path.name)))
    return kind(executable)
