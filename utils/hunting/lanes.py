"""Lanes: programs of one kind, compiled for one target in one way."""

import dataclasses
import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Passes of XLA's pipeline for CPU that a program is compiled without, two at a time.
PASSES = (
    "algsimp",
    "call-inliner",
    "conditional-to-select",
    "constant_folding",
    "cse",
    "fusion",
    "reshape-mover",
    "simplify-conditional",
    "simplify-while-loops",
    "tuple-simplifier",
    "while-loop-constant-sinking",
    "while-loop-invariant-code-motion",
)
PAIRS = list(itertools.combinations(PASSES, 2))
PAIRED = " without pairs"
STEERED = ("varied", "sharded")
MODULES = "modules:"  # and a folder: mutations of its modules
JUDGE = ROOT / "test" / "judge" / "judge.py"
MUTANTS = ROOT / "test" / "judge" / "mutants.py"


@dataclasses.dataclass
class Unit:
    """Programs that are judged together, and the command that does it in a folder."""

    lane: str
    target: str
    begin: int
    end: int
    flags: str = ""
    arguments: list = dataclasses.field(default_factory=list)

    def command(self, o, folder):
        judge = o.judge or (MUTANTS if "--modules" in self.arguments else JUDGE)
        command = [o.compilers[self.target], judge, folder, "--tool", o.tool, "--keep"]
        return [*command, *self.arguments]


@dataclasses.dataclass
class Lane:
    target: str
    family: str
    pairs: bool = False

    @property
    def name(self):
        return f"{self.target} {self.family}" + (PAIRED if self.pairs else "")

    def unit(self, o, begin, end, weights):
        """The unit of these programs; `weights` of blocks, as text."""
        unit = Unit(self.name, self.target, begin, end)
        if self.family.startswith(MODULES):
            folder = self.family.removeprefix(MODULES)
            unit.arguments += ["--modules", folder, "--target", unlabeled(self.target)]
            unit.arguments += ["--programs", f"mutant:{begin}:{end}"]
            return unit
        unit.arguments += ["--batch", str(end - begin)]
        unit.arguments += ["--programs", f"{self.family}:{begin}:{end}"]
        unit.arguments += platform(o, unlabeled(self.target))
        if self.family in STEERED:
            unit.arguments += ["--weights", weights]
        without = PAIRS[begin // o.batch % len(PAIRS)] if self.pairs else ()
        unit.flags = ",".join(without)
        for name in without:
            unit.arguments += ["--without", name]
        return unit


def unlabeled(target):
    """cpu of cpu@0.6.2: a label distinguishes compilers of one target."""
    return target.partition("@")[0]


def platform(o, target):
    """Options of the judge for a target."""
    kind, _, chip = target.partition(":")
    if kind == "tpu":
        return ["--platform", kind, "--topology", f"{chip}:2x2x1"]
    if kind == "cuda":
        return ["--platform", kind, "--target-config", gpu_file(o, chip)]
    return []


def gpu_file(o, chip):
    """The text proto of a GPU: that of an H100, or a file."""
    if chip != "h100":
        return chip
    sys.path.insert(0, str(ROOT / "python"))
    from hlobuf import _compile_worker

    path = o.state.absolute() / "h100.txtpb"
    path.write_text(_compile_worker.H100)
    return str(path)


def lanes(o):
    """All lanes of a campaign; the programs of `o.families` for each compiler."""
    for target in o.compilers:
        yield from (Lane(target, family) for family in o.families)
        if unlabeled(target) == "cpu":
            paired = [family for family in ("random", "varied") if family in o.families]
            yield from (Lane(target, family, pairs=True) for family in paired)
