// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Enumerate.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::StringRef;

llvm::SmallVector<HloId, 2> proof::predecessors(const Program &P, HloId Id) {
  llvm::SmallVector<HloId, 2> All;
  if (P.isHidden(Id))
    return All;
  auto Text = findAttribute(P.module().attributes(P.module()[Id]),
                            "control-predecessors");
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return All;
  llvm::SmallVector<StringRef, 4> Names;
  Text->split(Names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Names) {
    Name = Name.trim();
    Name.consume_front("%");
    HloId Before = P.find(P.facts().dump().Names.find(Name));
    bool Known = Before && P[Before].Parent == P[Id].Parent;
    All.push_back(Known ? Before : HloId());
  }
  return All;
}

namespace {
class Enumeration {
public:
  explicit Enumeration(const ProofModel &X) : X(X), P(X.P) {}

  Ledger take() {
    addLines();
    X.Lines.forEach([&](HloId Id) {
      addParts(Id);
      addOperands(Id);
      addAccesses(Id);
      addFlight(Id);
    });
    addBorders();
    L.seal();
    return std::move(L);
  }

private:
  void addLines();
  void addParts(HloId Id);
  void addInput(Part At);
  void addOperands(HloId Id);
  void addAccesses(HloId Id);
  void addFlight(HloId Id);
  void addBorders();

  const ProofModel &X;
  const Program &P;
  Ledger L;
};
} // namespace

void Enumeration::addLines() {
  for (uint32_t I = 0; I != X.Lines.dump().Values.size(); ++I) {
    L.open({Topic::Known, HloId(), I});
    L.open({Topic::Fits, HloId(), I});
  }
}

/// Opcodes whose parts may be printed with another type than their sources.
static bool mayRetype(Opcode Op) {
  return Op == Opcode::Bitcast || Op == Opcode::CustomCall ||
         Op == Opcode::SetDimensionSize || Op == Opcode::AllReduceDone ||
         Op == Opcode::AllGatherStart || Op == Opcode::AllGatherDone;
}

void Enumeration::addParts(HloId Id) {
  for (uint32_t Leaf : X.Lines.leaves(Id)) {
    Part At = {Id, Leaf};
    auto Sources = static_cast<uint32_t>(X.From.of(At).size());
    ValueId Line = X.Lines.line(At);
    bool Forwarded = !Line && Sources != 0;
    L.open({Forwarded ? Topic::Forwarded : Topic::Placed, Id, Leaf});
    if (P.isInput(Id) && Line)
      addInput(At);
    for (uint32_t N = 0; N != Sources && !mayRetype(X.op(Id)); ++N)
      L.open({Topic::SourceType, Id, Leaf, N});
    if (Line && X.Lines.dump()[Line].Tag.HasColor)
      L.open({Topic::Space, Id, Leaf});
  }
}

void Enumeration::addInput(Part At) {
  L.open({Topic::AtStart, At.Id, At.Ordinal});
  bool Donated = X.op(At.Id) == Opcode::Parameter &&
                 X.Lines.isDonated(P[At.Id].number(),
                                   P.trees().index(P[At.Id].Shape, At.Ordinal));
  if (!Donated)
    L.open({Topic::InputKept, At.Id, At.Ordinal});
}

void Enumeration::addOperands(HloId Id) {
  bool Fused = X.op(Id) == Opcode::Fusion && !P.calls(Id).empty();
  for (auto [K, Operand] : llvm::enumerate(P.operands(Id))) {
    auto N = static_cast<uint32_t>(K);
    L.open({Topic::OperandBefore, Id, 0, N});
    if (Fused)
      for (uint32_t Leaf : X.Lines.leaves(Operand))
        L.open({Topic::OperandType, Id, 0, N, Leaf});
  }
  for (uint32_t N = 0, Count = predecessors(P, Id).size(); N != Count; ++N)
    L.open({Topic::PredecessorBefore, Id, 0, N});
}

void Enumeration::addAccesses(HloId Id) {
  InstructionAccesses Does = X.Does.of(Id);
  bool Done = isDone(X.op(Id));
  for (const PartRead &R : Does.Reads)
    L.open({Done ? Topic::Awaited : Topic::Read, Id, 0, R.Operand, R.Ordinal});
  for (const PartWrite &W : Does.Writes) {
    L.open({Topic::Written, Id, W.Ordinal});
    BytePlace Written = X.place(W.Line);
    for (const PartRead &R : Does.Reads)
      if (!Done && R.Home && Written.meets(X.place(R.Home)))
        L.open({Topic::InPlace, Id, W.Ordinal, R.Operand, R.Ordinal});
  }
  for (const PartBinding &B : Does.Bindings)
    for (uint32_t N = 0; N != B.Sources.size(); ++N)
      L.open({Topic::SourcePlace, Id, B.Ordinal, N});
  for (const WorkingPair &Pair : X.Does.requiredPairs(Id))
    L.open({Topic::PairPlace, Id, Pair.Result, Pair.Operand, Pair.OperandPart});
}

void Enumeration::addFlight(HloId Id) {
  if (isStart(X.op(Id))) {
    L.open({Topic::HasDone, Id});
    L.open({Topic::NotReadBefore, Id});
  }
  ComputationId Body = X.From.wrapped(Id);
  if (X.op(Id) != Opcode::AsyncDone || !Body)
    return;
  for (ComputationId C : X.From.inside(Body))
    for (HloId Inner : P.order(C))
      for (const PartWrite &W : X.Does.of(Inner).Writes)
        L.open({Topic::BodyKept, Id, 0, Inner.index(), W.Ordinal});
}

void Enumeration::addBorders() {
  const HloModule &M = P.module();
  HloId Root = X.entryRoot();
  for (uint32_t Leaf : X.Lines.leaves(Root)) {
    L.open({Topic::Output, Root, Leaf});
    L.open({Topic::OwnPlace, Root, Leaf});
    if (M.EntryResult)
      L.open({Topic::ResultType, Root, Leaf});
  }
  for (uint32_t N = 0; M.EntryResult && N != P.numParameters(M.Entry); ++N)
    if (HloId Argument = P.parameter(M.Entry, N))
      for (uint32_t Leaf : X.Lines.leaves(Argument))
        L.open({Topic::ArgumentType, Argument, Leaf});
  for (uint32_t N = 0; N != M.Aliases.size(); ++N)
    L.open({Topic::DonatedPlace, HloId(), N});
  for (uint32_t N = 0; M.Scheduled && N != X.Lines.dump().Sequence.size(); ++N)
    L.open({Topic::StatedStep, HloId(), N});
}

Ledger proof::enumerate(const ProofModel &X) { return Enumeration(X).take(); }
