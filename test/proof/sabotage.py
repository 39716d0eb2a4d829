#!/usr/bin/env python3
"""Breaks the proof kernel as an oversight would, and expects its ledger to say so.

    sabotage.py --write FOLDER             copies of the sources with all sabotages in them
    sabotage.py SABOTAGED SOUND DUMPS...   runs what is built of them next to hlobuf-verify

A sabotage is active if HLOBUF_SABOTAGE is its number (Sabotage.h). It is noticed if the ledger
of some dump has a fault of the kernel, or says of more obligations that they were never reached
than the ledger of the sound kernel. The last line is: N noticed, N not
"""

import collections
import os
import pathlib
import subprocess
import sys

LIBRARIES = pathlib.Path(__file__).resolve().parents[2] / "lib"

# What is broken, the file, a text that is there once, and what replaces it: @ is true while
# the sabotage is active.
SABOTAGES = [
    # What execution does not reach.
    ("reads of fusions return early", "Interpreter.cpp",
     "  Topic What = isDone(X.op(Id)) ?",
     "  if (@ && X.op(Id) == Opcode::Fusion)\n    return;\n  Topic What = isDone(X.op(Id)) ?"),
    ("the last read is not checked", "Interpreter.cpp",
     "    L.visit({What, Id, 0, R.Operand, R.Ordinal}, read(S, Id, R));",
     "    if (!@ || &R != &X.Does.of(Id).Reads.back())\n"
     "      L.visit({What, Id, 0, R.Operand, R.Ordinal}, read(S, Id, R));"),
    ("roots are not executed", "Interpreter.cpp",
     "    if (++Steps > MaxInstructions || !dispatch(S, Id))",
     "    if (@ && Id == P.root(C))\n      continue;\n"
     "    else if (++Steps > MaxInstructions || !dispatch(S, Id))"),
    ("loops are not run", "Interpreter.cpp", "return runLoop(S, Id);",
     "return @ || runLoop(S, Id);"),
    ("bodies of loops are not run", "Interpreter.cpp", "|| !compute(Round, Body))",
     "|| (!@ && !compute(Round, Body)))"),
    ("calls are not run", "Interpreter.cpp",
     "    if (!runCallee(S, Id, P.calls(Id)[0].Callee, P.operands(Id)))",
     "    if (!@ && !runCallee(S, Id, P.calls(Id)[0].Callee, P.operands(Id)))"),
    ("branches are not run", "Interpreter.cpp", "return runBranches(S, Id);",
     "return @ || runBranches(S, Id);"),
    ("one branch is run", "Interpreter.cpp", "    State Branch = S;\n",
     "    if (@ && Joined)\n      break;\n    State Branch = S;\n"),
    ("async computations are not run", "Interpreter.cpp",
     "if (X.From.startedAt(Id) && !runBody(S, Id))",
     "if (X.From.startedAt(Id) && !@ && !runBody(S, Id))"),
    ("embedded computations are not run", "Interpreter.cpp", "return runLocal(S);",
     "return @ || runLocal(S);"),
    ("nothing is checked at the end", "Interpreter.cpp", "  checkEnd(S);\n",
     "  if (!@)\n    checkEnd(S);\n"),
    ("results are not checked", "Interpreter.cpp", "  if (C != P.module().Entry)\n",
     "  if (!@ && C != P.module().Entry)\n"),
    ("results are not enumerated", "Enumerate.cpp",
     "  if (P.root(P[Id].Parent) == Id && P[Id].Parent != P.module().Entry)\n",
     "  if (!@ && P.root(P[Id].Parent) == Id && P[Id].Parent != P.module().Entry)\n"),
    ("dones end nothing", "Interpreter.cpp", "    finish(S, Id);\n",
     "    if (!@)\n      finish(S, Id);\n"),
    ("dones check no bodies", "Interpreter.cpp", "    checkBody(S, Done, Body);\n",
     "    if (!@)\n      checkBody(S, Done, Body);\n"),
    ("writes of starts return early", "Interpreter.cpp", "  SmallVector<uint8_t, 4> Hows;\n",
     "  SmallVector<uint8_t, 4> Hows;\n  if (@ && isStart(X.op(Id)))\n    return;\n"),
    ("the last write is not checked", "Interpreter.cpp",
     "  for (auto [W, Own] : llvm::zip_equal(Writes, Hows)) {\n    L.visit",
     "  for (auto [W, Own] : llvm::zip(Writes.drop_back(@ && !Writes.empty()),\n"
     "                                 Hows)) {\n    L.visit"),
    ("the program is not executed", "Kernel.cpp", "if (!Interpreter(X, L).run())",
     "if (!@ && !Interpreter(X, L).run())"),

    # What runs.
    ("kernels are not compared", "SliceComparison.cpp",
     "  size_t First = std::min(Operands.size(), All.size());\n",
     "  size_t First = std::min(Operands.size(), All.size());\n  if (@)\n    return;\n"),
    ("the last slice is not compared", "SliceComparison.cpp",
     "  for (size_t N = 0; N != std::max(Stated.size(), Expected.size()); ++N) {",
     "  for (size_t N = 0; N + (@ && N + 1 == Stated.size()) <\n"
     "                     std::max(Stated.size(), Expected.size()); ++N) {"),
    ("what is embedded is not compared", "SliceComparison.cpp",
     "    return compareEmbedded(Id);", "    return @ ? void() : compareEmbedded(Id);"),
    ("thunks in no order are not compared", "SliceComparison.cpp",
     "  compareUnordered(Id, I, Operands, ", "  if (!@)\n  compareUnordered(Id, I, Operands, "),
    ("thunks of instructions are not looked for", "ThunkCoverage.cpp",
     "    if (G.isLaunched(I))\n", "    if (G.isLaunched(I) && !@)\n"),
    ("the order of thunks is not compared", "ThunkCoverage.cpp",
     "      findDisordered(T.Sequences[S], C);\n",
     "      @ ? void() : findDisordered(T.Sequences[S], C);\n"),
    ("attributes are not compared", "AttributeRules.cpp",
     "  Book.decide(Topic::Attribute,", "  if (!@)\n  Book.decide(Topic::Attribute,"),
    ("instructions are not enumerated", "LaunchProof.cpp",
     "      if (G.isLaunched(Id))\n", "      if (G.isLaunched(Id) && !@)\n"),
    ("thunks are not enumerated", "LaunchProof.cpp",
     "    L.open({Topic::LaunchOrder,", "    if (!@)\n    L.open({Topic::LaunchOrder,"),
    ("slices are not enumerated", "LaunchProof.cpp",
     "S != T[Id].Slices.End; ++S)", "S != T[Id].Slices.End && !@; ++S)"),
    ("rows of attributes are not enumerated", "LaunchProof.cpp",
     "      L.open({Topic::Attribute,", "      if (!@)\n      L.open({Topic::Attribute,"),
    ("accesses of streams are not enumerated", "LaunchProof.cpp",
     "        L.open({Topic::Ordered,", "        if (!@)\n        L.open({Topic::Ordered,"),
    ("the order of streams is not compared", "StreamOrder.cpp",
     "      compareAllocation(All);\n    else",
     "      @ ? void() : compareAllocation(All);\n    else"),
    ("what runs after an asynchronous start is not followed", "StreamOrder.cpp",
     "  T.forEach(S, [&](ThunkId Id) {\n    ++Steps;\n",
     "  T.forEach(S, [&](ThunkId Id) {\n    ++Steps;\n"
     "    if (@ && Id.index() != 0 && pairStartedBy(T.Thunks[Id.index() - 1].Kind))\n"
     "      return;\n"),

    # What is not counted, and what is not enumerated.
    ("nothing is counted again", "Kernel.cpp", "  countAgain(X, L);\n",
     "  if (!@)\n    countAgain(X, L);\n"),
    ("one topic is not counted again", "Count.cpp", "    if (What != Topic::Forwarded",
     "    if (What != Topic::Read || !@)\n    if (What != Topic::Forwarded"),
    ("lines are not enumerated", "Kernel.cpp", "  enumerateLines(X, L);\n",
     "  if (!@)\n    enumerateLines(X, L);\n"),
    ("what lines name is not enumerated", "Enumerate.cpp",
     "    L.open({Topic::Known, HloId(), I});",
     "    if (!@)\n      L.open({Topic::Known, HloId(), I});"),
    ("parts are not enumerated", "Kernel.cpp", "  enumerateParts(X, L);\n",
     "  if (!@)\n    enumerateParts(X, L);\n"),
    ("parts of parameters are not enumerated", "Enumerate.cpp",
     "  for (uint32_t Leaf : X.Lines.leaves(Id)) {\n    Part At",
     "  if (@ && X.op(Id) == Opcode::Parameter)\n    return;\n"
     "  for (uint32_t Leaf : X.Lines.leaves(Id)) {\n    Part At"),
    ("types of sources are not enumerated", "Enumerate.cpp", "N != Sources && !mayRetype(",
     "N != Sources && !@ && !mayRetype("),
    ("of several sources only the first one's type is enumerated", "Enumerate.cpp",
     "      L.open({Topic::SourceType, Id, Leaf, N});",
     "      if (!@ || N == 0)\n        L.open({Topic::SourceType, Id, Leaf, N});"),
    ("memory spaces are not enumerated", "Enumerate.cpp",
     "    if (Line && X.Lines.dump()[Line].Tag.HasColor)",
     "    if (Line && !@ && X.Lines.dump()[Line].Tag.HasColor)"),
    ("operands are not enumerated", "Kernel.cpp", "  enumerateOperands(X, L);\n",
     "  if (!@)\n    enumerateOperands(X, L);\n"),
    ("types of operands are not enumerated", "Enumerate.cpp", "    if (Fused)\n",
     "    if (Fused && !@)\n"),
    ("predecessors are not enumerated", "Enumerate.cpp",
     "    L.open({Topic::PredecessorBefore, Id, 0, N});",
     "    if (!@)\n      L.open({Topic::PredecessorBefore, Id, 0, N});"),
    ("inputs are not enumerated", "Enumerate.cpp", "      addInputs(Id);\n",
     "      if (!@)\n        addInputs(Id);\n"),
    ("inputs at the end are not enumerated", "Enumerate.cpp", "    if (!Donated)\n",
     "    if (!Donated && !@)\n"),
    ("accesses of fusions are not enumerated", "Enumerate.cpp",
     "  bool Done = isDone(X.op(Id));\n",
     "  bool Done = isDone(X.op(Id));\n"
     "  if (@ && X.op(Id) == Opcode::Fusion)\n    return;\n"),
    ("places in place are not enumerated", "Enumerate.cpp", "    addInPlace(Id);\n",
     "    if (!@)\n      addInPlace(Id);\n"),
    ("places of sources are not enumerated", "Enumerate.cpp",
     "      L.open({Topic::SourcePlace, Id, B.Ordinal, N});",
     "      if (!@)\n        L.open({Topic::SourcePlace, Id, B.Ordinal, N});"),
    ("of several sources only the first one's place is enumerated", "Enumerate.cpp",
     "N != B.Sources.size(); ++N)", "N != B.Sources.size() && !(@ && N == 1); ++N)"),
    ("places of pairs are not enumerated", "Enumerate.cpp",
     "    L.open({Topic::PairPlace, Id, Pair.Result, Pair.Operand, Pair.OperandPart});",
     "    if (!@)\n      L.open({Topic::PairPlace, Id, Pair.Result, Pair.Operand,\n"
     "              Pair.OperandPart});"),
    ("starts and dones are not enumerated", "Enumerate.cpp", "      addFlight(Id);\n",
     "      if (!@)\n        addFlight(Id);\n"),
    ("dones of starts are not enumerated", "Enumerate.cpp", "    L.open({Topic::HasDone, Id});",
     "    if (!@)\n      L.open({Topic::HasDone, Id});"),
    ("bodies of dones are not enumerated", "Enumerate.cpp",
     "  if (X.op(Id) != Opcode::AsyncDone || !Body)",
     "  if (@ || X.op(Id) != Opcode::AsyncDone || !Body)"),
    ("borders are not enumerated", "Enumerate.cpp", "    addBorders();\n",
     "    if (!@)\n      addBorders();\n"),
    ("types of arguments are not enumerated", "Enumerate.cpp",
     "N != P.numParameters(M.Entry); ++N)", "N + @ < P.numParameters(M.Entry); ++N)"),
    ("types of results are not enumerated", "Enumerate.cpp", "    if (M.EntryResult)\n",
     "    if (M.EntryResult && !@)\n"),
    ("donated places are not enumerated", "Enumerate.cpp", "N != M.Aliases.size(); ++N)",
     "N != M.Aliases.size() && !@; ++N)"),
    ("steps are not enumerated", "Enumerate.cpp", "M.Scheduled && N !=",
     "M.Scheduled && !@ && N !="),
    ("parts are enumerated twice", "Enumerate.cpp",
     "  X.Lines.forEach([&](HloId Id) { addParts(X, Id, L); });\n",
     "  X.Lines.forEach([&](HloId Id) { addParts(X, Id, L); });\n"
     "  if (@)\n    X.Lines.forEach([&](HloId Id) { addParts(X, Id, L); });\n"),

    # What the tables leave out.
    ("the last operand is not read", "Accesses.cpp",
     "  if (Op == Opcode::Conditional)",
     "  if (@ && Operands.size() > 1)\n    Operands = Operands.drop_back();\n"
     "  if (Op == Opcode::Conditional)"),
    ("of results only part 0 is written", "Accesses.cpp", "      else if (!isGiven(P[Id].Op))",
     "      else if ((!@ || Leaf == 0) && !isGiven(P[Id].Op))"),
    ("of a tuple only the first part counts", "ValuePlaces.cpp",
     "    First += Trees.parts(Element);\n",
     "    First += Trees.parts(Element);\n    if (@)\n      return;\n"),
    ("lines of tuples name nothing", "ValuePlaces.cpp", "    if (!Ordinal)\n",
     "    if (!Ordinal || (@ && *Ordinal != 0))\n"),
    ("bodies of loops count as none that run", "ValuePlaces.cpp",
     "    if (runs(ComputationId(C)))",
     "    if (runs(ComputationId(C)) &&\n"
     "        !(@ && llvm::any_of(P.callers(ComputationId(C)), [&](HloId Id) {\n"
     "          return P[Id].Op == Opcode::While;\n        })))"),

    # What is not decided, or twice.
    ("places are not decided", "Kernel.cpp", "  decidePlaces(X, L);\n",
     "  if (!@)\n    decidePlaces(X, L);\n"),
    ("types are not compared", "Kernel.cpp", "  decideSourceTypes(X, L);\n",
     "  if (!@)\n    decideSourceTypes(X, L);\n"),
    ("types of operands are not compared", "Kernel.cpp", "  decideOperandTypes(X, L);\n",
     "  if (!@)\n    decideOperandTypes(X, L);\n"),
    ("types are compared twice", "Kernel.cpp", "  decideEntryTypes(X, L);\n",
     "  decideEntryTypes(X, L);\n  if (@)\n    decideEntryTypes(X, L);\n"),
    ("order is not decided", "Kernel.cpp", "    decideOrder(X, L);\n",
     "    if (!@)\n      decideOrder(X, L);\n"),
    ("the sequence is not decided", "Kernel.cpp", "  decideSequence(X, L);\n",
     "  if (!@)\n    decideSequence(X, L);\n"),
    ("sharing is not decided", "Kernel.cpp", "  decideSharing(X, L);\n",
     "  if (!@)\n    decideSharing(X, L);\n"),
    ("ends are not decided", "Kernel.cpp", "  decideEnds(X, L);\n",
     "  if (!@)\n    decideEnds(X, L);\n"),
    ("places in place are not decided", "Kernel.cpp", "  decideInPlace(X, Elements, L);\n",
     "  if (!@)\n    decideInPlace(X, Elements, L);\n"),
    # Without a module.
    ("stated uses are not executed", "StatedProof.cpp",
     "      if (Reads[Use])\n        L.visit(",
     "      if (!@ && Reads[Use])\n        L.visit("),
    ("stated uses are not enumerated", "StatedProof.cpp",
     "    if (!Reads[Use])\n      continue;",
     "    if (@ || !Reads[Use])\n      continue;"),
    ("stated overlaps are not enumerated", "StatedProof.cpp",
     "    forEachOverlap(Use, [&](uint32_t Line) {",
     "    if (!@)\n      forEachOverlap(Use, [&](uint32_t Line) {"),
    ("nothing stated is checked at the end", "StatedProof.cpp", "    if (!lastsToTheEnd(V))\n",
     "    if (@ || !lastsToTheEnd(V))\n"),
    ("a topic's decider skips the last row", "Ledger.cpp", "    note(R, Decide(R.owed()));",
     "    if (!@ || &R != &C.Rows.back())\n      note(R, Decide(R.owed()));"),
]


def write(folder):
    sources = [*LIBRARIES.glob("Proof/*.cpp"), *LIBRARIES.glob("Thunks/*.cpp")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    for number, (what, name, old, new) in enumerate(SABOTAGES, 1):
        if texts[name].count(old) != 1:
            sys.exit(f"{name} has {texts[name].count(old)} places for: {what}")
        texts[name] = texts[name].replace(old, new.replace("@", f"sabotaged({number})"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text('#include "Sabotage.h"\n' + text, encoding="utf-8")


def run(tool, dumps, number):
    """The ledgers of all dumps."""
    return subprocess.run(
        [tool, "--no-config", "--emit=proof", *dumps],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "HLOBUF_SABOTAGE": str(number)},
        check=False,
    )


def tally(ledgers):
    """How many obligations of each topic were never reached, and faults of the kernel."""
    said = collections.Counter()
    for line in ledgers.splitlines():
        if line.startswith("kernel\t"):
            for fault in line.removeprefix("kernel\t").split(", "):
                name, _, count = fault.rpartition(" ")
                said[name] += int(count)
        elif line.endswith("\tnever reached"):
            said[line.split("\t")[1] + " never reached"] += 1
    return said


def main(tool, sound, *dumps):
    before = run(tool, dumps, 0)
    expected = run(sound, dumps, 0)
    if not before.stdout or (before.stdout, before.returncode) != (
        expected.stdout,
        expected.returncode,
    ):
        sys.exit("without a sabotage the ledgers differ from those of hlobuf-verify")
    normal = tally(before.stdout)
    missed = 0
    for number, (what, *_) in enumerate(SABOTAGES, 1):
        after = run(tool, dumps, number)
        if after.returncode not in (0, 1):
            sys.exit(f"{what}: exit status {after.returncode}\n{after.stderr}")
        more = tally(after.stdout) - normal
        missed += not more
        news = ", ".join(f"{name} {count}" for name, count in sorted(more.items()))
        print(f"{'noticed' if more else 'MISSED '} {what}: {news}", flush=True)
    print(f"{len(SABOTAGES) - missed} noticed, {missed} not")
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        sys.exit(write(pathlib.Path(sys.argv[2])))
    sys.exit(main(*sys.argv[1:]))
