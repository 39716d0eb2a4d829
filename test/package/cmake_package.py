"""find_package(hlobuf) in a clean prefix: somebody else's program verifies a dump
through the library, and a shared library of theirs reads one.

RUN: %venv-python %s
"""

import ctypes

from support import BROKEN, BUILD, CLEAN, HERE, assignment, clean_place, expect, run


def main():
    place = clean_place()
    run("cmake", "--install", BUILD, "--prefix", place / "prefix")
    # Away from our tree: nothing of it may be needed.
    run("cp", "-r", HERE / "consumer", place / "source")
    configure = ["cmake", "-G", "Ninja", "-S", place / "source", "-B", place / "build"]
    run(*configure, f"-DCMAKE_PREFIX_PATH={place / 'prefix'}")
    run("cmake", "--build", place / "build")

    program = place / "build" / "verify-one"
    expect("sound: no overlap", run(program, CLEAN))
    expect("[clobbered-read]", run(program, BROKEN, status=1))

    library = ctypes.CDLL(str(place / "build" / "libvalues.so"))
    library.countValues.restype = ctypes.c_long
    path = assignment(CLEAN)
    values = path.read_text().count("\n value: ")
    assert library.countValues(str(path).encode()) == values > 0
    assert library.countValues(b"nothing") == -1

    # A version that we are not.
    (place / "source" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\n"
        "project(other LANGUAGES C CXX)\n"
        "find_package(hlobuf 0.9 REQUIRED)\n"
    )
    text = run(*configure, f"-DCMAKE_PREFIX_PATH={place / 'prefix'}", status=1)
    expect("compatible with requested version", " ".join(text.split()))


main()
