#!/usr/bin/env python3
"""Checks how the tree is built: what no compiler and no test of behavior sees.

- A library includes only itself and what lib/CMakeLists.txt lets it include.
- No file of lib includes itself through others; X.h and X.cpp are one.
- Two files of lib have one name only as X.h, X.cpp and X.def of one folder.
- The members of a class of lib are in one source, and no class has a name that another
  header gives to something else.
- No eight lines of lib are the same in two files.
- No table of lib has two rows that say what the same thing is.
- No two places of lib name the same group of opcodes, or two of three in common: what
  several opcodes have in common is a column of Opcodes.def. No text of an opcode is
  compared: it is parsed once.
- Code of lib names the rows of Releases.def: no other file has the date of a release.
- No source file is longer than 500 lines, and no function than 80.
- Every type and function that a header of lib declares has a `///` comment, its own or
  that of the group without an empty line in which it is.
- No file names a path of somebody's machine.
- Registry, sources, pages and tests of checks agree, and the index is up to date.
- No message, page or comment has a phrase that utils/check-phrases.py lists.

Prints a line for each problem; the last line is: N passed, N failed
"""

import argparse
import ast
import pathlib
import re
import subprocess
import sys

import registry

MAX_LINES = 500
MAX_FUNCTION_LINES = 80
SOURCES = ("*.cpp", "*.h", "*.py", "*.def", "*.txt", "*.cmake")
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.])/(work|farm|root|home)/[A-Za-z.]")


def allowed_includes(root):
    """For each library the ones that it may include, itself among them."""
    text = (root / "lib/CMakeLists.txt").read_text(encoding="utf-8")
    allowed = {}
    for row in re.findall(r"^\s*hlobuf_library\(([\w\s]+)\)", text, re.MULTILINE):
        library, *below = row.split()
        allowed[library] = {library}.union(*(allowed[name] for name in below))
    return allowed


def check_includes(root, files):
    allowed = allowed_includes(root)
    for path in files:
        if path.parts[0] != "lib" or path.suffix not in (".cpp", ".h", ".def"):
            continue
        library = path.parts[1]
        if library not in allowed:
            yield f"{path}: lib/CMakeLists.txt has no library {library}"
            continue
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*#\s*include\s+"(\w+)/', line)
            if match and match[1] in allowed and match[1] not in allowed[library]:
                yield f"{path}:{number}: {library} must not include {match[1]}"


def included_units(root, files):
    """By file of lib, without its suffix, those that it includes, sorted."""
    units = {}
    for path in files:
        if path.parts[0] == "lib" and path.suffix in (".cpp", ".h"):
            name = path.relative_to("lib").with_suffix("").as_posix()
            text = (root / path).read_text(encoding="utf-8")
            found = re.findall(r'^\s*#\s*include\s+"(\w+/.*)\.h"', text, re.MULTILINE)
            units.setdefault(name, set()).update(set(found) - {name})
    return {name: sorted(below & units.keys()) for name, below in sorted(units.items())}


def check_circles(root, files):
    """Each unit is gone into once; one that is still open closes a circle."""
    units = included_units(root, files)
    done = set()
    for first in units:
        way = [(first, iter(units[first]))] if first not in done else []
        while way:
            names = [name for name, _ in way]
            below = next(way[-1][1], None)
            if below is None:
                done.add(way.pop()[0])
            elif below in names:
                circle = names[names.index(below) :] + [below]
                yield f"lib/{below}.h: {' -> '.join(circle)}"
            elif below not in done:
                way.append((below, iter(units[below])))


def check_names(root, files):
    del root
    folders = {}
    for path in files:
        if path.parts[0] == "lib" and path.suffix in (".cpp", ".h", ".def"):
            folders.setdefault(path.stem.lower(), set()).add(path.parent.as_posix())
    for name, found in sorted(folders.items()):
        if len(found) > 1:
            yield f"{name}: files of one name in {', '.join(sorted(found))}"


# At the left edge of a source: `Type Class::member(..) {`.
MEMBER = re.compile(
    r"^(?!static )(?:\w[\w:<>,&* ]*[\s&*])?(\w+)::~?\w+\([^;{}]*\)[^;{}()]*(?:: .*?)?\{",
    re.MULTILINE,
)
TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)[^;()]*\{", re.MULTILINE)
NAMESPACES = {"proof", "hlobuf", "llvm", "std", "fmt"}


def check_classes(root, files):
    sources, headers = {}, {}
    for path in files:
        if path.parts[0] != "lib" or path.suffix not in (".cpp", ".h"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        if path.suffix == ".cpp":
            for name in set(MEMBER.findall(text)) - NAMESPACES:
                sources.setdefault(name, []).append(path.as_posix())
        else:
            for name in set(TYPE.findall(text)):
                headers.setdefault(name, []).append(path.as_posix())
    for kind, found in (("members of", sources), ("types named", headers)):
        for name, paths in sorted(found.items()):
            if len(paths) > 1:
                yield f"{kind} {name} in {', '.join(sorted(paths))}"


LIKE_LINES = 8


def check_copies(root, files):
    """A run of lines is known by the file that has it first."""
    known = {}
    told = set()
    for path in files:
        if path.parts[0] != "lib" or path.suffix not in (".cpp", ".h"):
            continue
        lines = [
            (number, line.strip())
            for number, line in enumerate(
                (root / path).read_text(encoding="utf-8").splitlines(), 1
            )
            if line.strip() and not line.strip().startswith(("//", "#", "using "))
        ]
        for first in range(len(lines) - LIKE_LINES + 1):
            number, _ = lines[first]
            run = tuple(text for _, text in lines[first : first + LIKE_LINES])
            other, place = known.setdefault(run, (path, number))
            if other != path and (other, path) not in told:
                told.add((other, path))
                yield f"{path}:{number}: the same lines as {other}:{place}"


# A row is known by its name; of what an opcode calls by the role, too, and of what it
# forwards by both paths.
ROW = re.compile(
    r"HLOBUF_CALLEE\(\w+, \w+|HLOBUF_FORWARD\(\w+, at\([^)]*\), at\([^)]*\)"
    r"|HLOBUF_\w+\([^,()]+"
)


def check_tables(root, files):
    for path in files:
        if path.parts[0] != "lib" or path.suffix != ".def":
            continue
        rows = {}
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            row = ROW.match(line)
            first = rows.setdefault(row[0], number) if row else number
            if first != number:
                yield f"{path}:{number}: {row[0]}, which line {first} has, too"


OPCODES = pathlib.Path("lib/HLO/Opcodes.def")
COMMENT = re.compile(r"//[^\n]*")
OPCODE = re.compile(r"\bOpcode::(\w+)")
# Labels of one case, a list, and what one value is compared with.
OPCODE_LABELS = re.compile(r"(?:case Opcode::\w+:\s*)+")
OPCODE_LIST = re.compile(r"\{(?:\s*Opcode::\w+,?)+\s*\}")
OPCODE_TEST = re.compile(r"([\w.>\[\]()*-]+?)(?:\s*([!=])=\s*|\.is\()Opcode::(\w+)")
OPCODE_TEXT = re.compile(r'[Oo]pcode(?:Text)?(?:\s*[!=]=\s*|\.(?:starts|ends)_with\()"')
MAX_SHARED_OPCODES = 2


def compared_opcodes(text):
    """(offset, opcodes) where a condition asks whether one value is one of several."""
    first, end, value, equal, group = 0, 0, None, None, set()
    for match in OPCODE_TEST.finditer(text):
        now, sign = match[1].lstrip("("), match[2] or "="
        between = text[end : match.start()]
        joined = ("||" if sign == "=" else "&&") in between and not re.search(r"[;?:{}]", between)
        if not (joined and (now, sign) == (value, equal)):
            yield first, group
            first, group = match.start(), set()
        value, equal, end = now, sign, match.end()
        group.add(match[3])
    yield first, group


def opcode_groups(text):
    """(offset, opcodes) of each group that code names."""
    for pattern in (OPCODE_LABELS, OPCODE_LIST):
        for match in pattern.finditer(text):
            yield match.start(), set(OPCODE.findall(match[0]))
    yield from compared_opcodes(text)


def opcode_columns(text):
    """(offset, opcodes) of each trait, and of each way to call, forward or wait."""
    columns = {}
    for match in re.finditer(r"^HLOBUF_(\w+)\((\w+), (.*)\)$", text, re.MULTILINE):
        cells = match[3].split(", ")
        names = cells[-1].split(" | ") if match[1] == "OPCODE" else [match[1] + cells[0]]
        for name in [match[1]] if match[1] in ("FORWARD", "ASYNC") else names:
            columns.setdefault(name, (match.start(), set()))[1].add(match[2])
    return columns.values()


# Says again, on purpose, what the kernel of the proof takes from the table.
RECOUNT = pathlib.Path("lib/Proof/Count.cpp")


def check_opcodes(root, files):
    known = []
    # The table first: it is the other place.
    for path in sorted(files, key=lambda path: path != OPCODES):
        if path.parts[0] != "lib" or path.suffix not in (".cpp", ".h") and path != OPCODES:
            continue
        if path == RECOUNT:
            continue
        text = COMMENT.sub(lambda found: " " * len(found[0]), (root / path).read_text("utf-8"))
        for match in OPCODE_TEXT.finditer(text):
            number = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{number}: the text of an opcode compared, expected Opcode::"
        groups = opcode_columns(text) if path == OPCODES else sorted(opcode_groups(text))
        for start, group in groups:
            if len(group) < 2:
                continue
            place = f"{path}:{text.count(chr(10), 0, start) + 1}"
            for other, where in known:
                shared = group & other
                like = where.startswith(str(OPCODES)) or len(shared) <= MAX_SHARED_OPCODES
                if group == other if like else shared:
                    yield f"{place}: {', '.join(sorted(shared))} together, as in {where}"
                    break
            known.append((group, place))


RELEASES = pathlib.Path("lib/Dump/Releases.def")
DATE = re.compile(r"\b20[12]\d(-?)(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])\b")


def check_dates(root, files):
    for path in files:
        if path.parts[0] != "lib" or path.suffix not in (".cpp", ".h", ".def") or path == RELEASES:
            continue
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            code = re.sub(r"//.*", "", line).replace("'", "")
            if DATE.search(code):
                yield f"{path}:{number}: the date of a release, expected a row of {RELEASES}"


def cxx_functions(lines):
    """(first, last) line of each block that ends with a brace of its own: of
    functions, of statements inside of them, and not of classes or tables."""
    heads = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith(("//", "#")):
            continue
        indent = len(line) - len(line.lstrip())
        if text == "}" and indent in heads:
            yield heads[indent], number
        heads = {depth: first for depth, first in heads.items() if depth < indent}
        heads[indent] = number


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno


def check_functions(root, files):
    for path in files:
        if path.parts[0] not in ("lib", "python", "tools", "utils", "test"):
            continue
        if path.suffix in (".cpp", ".h"):
            found = cxx_functions((root / path).read_text(encoding="utf-8").splitlines())
        elif path.suffix == ".py":
            found = python_functions((root / path).read_text(encoding="utf-8"))
        else:
            continue
        for first, last in found:
            if last - first >= MAX_FUNCTION_LINES:
                yield (
                    f"{path}:{first}: {last - first + 1} lines, more than "
                    f"{MAX_FUNCTION_LINES}: make it two functions"
                )


def check_lengths(root, files):
    for path in files:
        ours = path.parts[0] in ("lib", "python", "tools", "utils") and (
            path.parts[0] == "utils" or any(path.match(glob) for glob in SOURCES)
        )
        if ours or (path.parts[0] == "test" and path.suffix == ".py"):
            count = len((root / path).read_bytes().splitlines())
            if count > MAX_LINES:
                yield f"{path}: {count} lines, more than {MAX_LINES}: make it two"


# At the left edge of a header: a type with its members, or a function.
DECLARATION = re.compile(r"(class|struct|enum class) \w+.*\{|(?!using|typedef)\w[\w:<>,&* ]*\(")


def check_comments(root, files):
    for path in files:
        if path.parts[0] != "lib" or path.suffix != ".h":
            continue
        explained = False
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if not line:
                explained = False
            elif line.startswith("///"):
                explained = True
            elif DECLARATION.match(line) and not explained:
                yield f"{path}:{number}: no comment says what this is: {line[:60]}"
                explained = True


def check_machine_paths(root, files):
    for path in files:
        if path.parts[:2] == ("test", "Inputs"):
            continue
        try:
            lines = (root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                yield f"{path}:{number}: a path of a machine: {line.strip()[:80]}"


def check_by(script):
    """A check that another script makes."""

    def check(root, files):
        del files
        result = subprocess.run(
            [sys.executable, pathlib.Path(__file__).parent / script, "--check", "--root", root],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
        )
        if result.returncode:
            yield from result.stdout.splitlines() or [f"{script} failed"]

    return check


CHECKS = {
    "includes follow the table of libraries": check_includes,
    "no file includes itself through others": check_circles,
    "no two files have one name": check_names,
    "a class has one source and a name of its own": check_classes,
    f"no {LIKE_LINES} like lines in two files": check_copies,
    "no table says anything twice": check_tables,
    "no fact of an opcode in two places": check_opcodes,
    "dates of releases are rows of one table": check_dates,
    f"no file over {MAX_LINES} lines": check_lengths,
    f"no function over {MAX_FUNCTION_LINES} lines": check_functions,
    "every declaration of a header is explained": check_comments,
    "no path of a machine": check_machine_paths,
    "every check has source, page and tests": check_by("new-check.py"),
    "every rule has a check or a reason, the index is up to date": check_by("check-index.py"),
    "messages, pages and comments are in plain English": check_by("check-phrases.py"),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=pathlib.Path, default=registry.ROOT)
    root = parser.parse_args().root.resolve()
    files = registry.files_of(root)
    failed = 0
    for name, check in CHECKS.items():
        problems = list(check(root, files))
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok'}: {name}")
        for problem in problems:
            print(f"  {problem}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
