"""The registry of checks and the catalogue of rules, as Python sees them.

Both are written as calls of C macros: lib/Checks/Checks.def names each check
once, lib/Memory/Waste.def each lint that is a row of it, and
lib/Checks/Catalogue.def each rule.
"""

import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = pathlib.Path("lib/Checks/Checks.def")
WASTE = pathlib.Path("lib/Memory/Waste.def")
CATALOGUE = pathlib.Path("lib/Checks/Catalogue.def")
PAGES = pathlib.Path("docs/checks")
TESTS = pathlib.Path("test/checks")

STRING = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
CHECK = re.compile(
    r"HLOBUF_CHECK\(\s*(\w+)\s*,\s*" + STRING + r",\s*(Error|Warning|Lint)\s*,"
    r"\s*needs\(([^)]*)\)\s*,\s*"
    r"(none|(?:core|part|extra)\(\w+(?:, \"[\w-]+\")?\))\s*,\s*"
    + STRING
    + r",\s*"
    + STRING
    + r"\)"
)
WASTE_ROW = re.compile(
    r"HLOBUF_WASTE\(\s*(\w+)\s*,\s*" + STRING + r",\s*(?:Timed|Untimed)\s*,"
    r"\s*needs\(([^)]*)\)\s*,\s*" + STRING + r"\)"
)

SENTENCES = {
    "NoOverlap": "no overlap",
    "Execution": "execution",
    "Agreement": "agreement",
    "Program": "the program that runs",
    "Consistency": "consistency",
}
"""As Checks.def and as people call them."""


@dataclasses.dataclass(frozen=True)
class Check:
    function: str
    id: str
    severity: str
    needs: tuple
    claim: str
    rules: tuple
    summary: str
    is_row: bool = False
    """It is a row of WASTE and has no source of its own."""

    def source(self, root=ROOT):
        """The file below root that defines it; None if there is none."""
        for path in sorted((root / CHECKS.parent).rglob("*.cpp")):
            if f"check{self.function}(const CheckContext" in path.read_text(encoding="utf-8"):
                return path.relative_to(root)
        return None

    @property
    def sentence(self):
        """What it is a part of in the verdict; empty for a lint."""
        claim = re.match(r"\w+\((\w+)", self.claim)
        return SENTENCES[claim[1]] if claim else ""

    @property
    def page(self):
        return PAGES / f"{self.id}.md"


def files_of(root):
    """All files except those that git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    paths = [pathlib.Path(name) for name in sorted(listed.split("\0")) if name]
    return [path for path in paths if (root / path).is_file()]


def groups(root=ROOT):
    """The folders of lib/Checks, one for each group of checks."""
    return sorted(path.name for path in (root / CHECKS.parent).iterdir() if path.is_dir())


def camel_case(check_id):
    """The C++ name of a check: buffer-overlap is BufferOverlap."""
    return "".join(word.capitalize() for word in check_id.split("-"))


def _code(path):
    """The text of a .def file without comments and preprocessor lines."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def _string(literals):
    """The value of adjacent C string literals."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return re.sub(r"\\(.)", r"\1", "".join(parts))


def read_checks(root=ROOT):
    code = _code(root / CHECKS)
    checks = [
        Check(
            function=match[1],
            id=_string(match[2]),
            severity=match[3],
            needs=tuple(match[4].replace(",", " ").split()),
            claim=match[5],
            rules=tuple(_string(match[6]).split()),
            summary=_string(match[7]),
        )
        for match in CHECK.finditer(code)
    ]
    if len(checks) != code.count("HLOBUF_CHECK("):
        raise SystemExit(f"{CHECKS}: a line is not of the form that registry.py reads")
    return checks + _read_waste(root)


def _read_waste(root):
    if not (root / WASTE).is_file():
        return []
    code = _code(root / WASTE)
    rows = [
        Check(
            function=f"Lint{match[1]}",
            id=_string(match[2]),
            severity="Lint",
            needs=tuple(match[3].replace(",", " ").split()),
            claim="none",
            rules=(),
            summary=_string(match[4]),
            is_row=True,
        )
        for match in WASTE_ROW.finditer(code)
    ]
    if len(rows) != code.count("HLOBUF_WASTE("):
        raise SystemExit(f"{WASTE}: a line is not of the form that registry.py reads")
    return rows


def _read_pairs(root, macro):
    code = _code(root / CATALOGUE)
    pattern = re.compile(macro + r"\(\s*" + STRING + r",\s*" + STRING + r"\)")
    pairs = [(_string(match[1]), _string(match[2])) for match in pattern.finditer(code)]
    if len(pairs) != code.count(macro + "("):
        raise SystemExit(
            f"{CATALOGUE}: a line is not of the form that registry.py reads"
        )
    return pairs


def read_rules(root=ROOT):
    """All (rule, statement), in the order of the catalogue."""
    return _read_pairs(root, "HLOBUF_RULE")


def read_reasons(root=ROOT):
    """All (rule, reason why no check covers it)."""
    return _read_pairs(root, "HLOBUF_NO_CHECK")


def read_tests(checks, root=ROOT):
    """The tests of each check's id: those whose names begin with it. Other files
    are listed under None."""
    tests = {check.id: [] for check in checks}
    tests[None] = []
    for path in sorted((root / TESTS).rglob("*.test")):
        owners = [
            check.id
            for check in checks
            if re.match(re.escape(check.id) + r"[-.]", path.name)
        ]
        tests[max(owners, key=len, default=None)].append(path)
    return tests
