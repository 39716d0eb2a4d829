// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Enumerate.h"
#include "Program/PartOrigins.h"

using namespace hlobuf;
using namespace hlobuf::proof;

SmallVector<StringRef, 2> proof::predecessorNames(const Program &P, HloId Id) {
  SmallVector<StringRef, 2> Names;
  if (!P[Id].HasPredecessors)
    return Names;
  StringRef Text = *findAttribute(P.module().attributes(P.module()[Id]),
                                  "control-predecessors");
  Text.trim("{}").split(Names, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef &Name : Names)
    Name.consume_front("%");
  return Names;
}

HloId proof::predecessor(const Program &P, HloId Id, StringRef Name) {
  HloId Before = P.find(P.facts().dump().Names.find(Name));
  return Before && P[Before].Parent == P[Id].Parent ? Before : HloId();
}

void proof::enumerateLines(const ProofModel &X, Ledger &L) {
  for (uint32_t I = 0; I != X.Lines.dump().Values.size(); ++I) {
    L.open({Topic::Known, HloId(), I});
    L.open({Topic::Fits, HloId(), I});
  }
  L.seal();
}

bool proof::mayRetype(const Program &P, Part At) {
  Opcode Op = P[At.Id].Op;
  return Op == Opcode::Bitcast || Op == Opcode::SetDimensionSize ||
         (Op == Opcode::CustomCall && !markedOperand(P, At));
}

static void addParts(const ProofModel &X, HloId Id, Ledger &L) {
  for (uint32_t Leaf : X.Lines.leaves(Id)) {
    Part At = {Id, Leaf};
    auto Sources = static_cast<uint32_t>(X.From.of(At).size());
    ValueId Line = X.Lines.line(At);
    bool Forwarded = !Line && Sources != 0;
    L.open({Forwarded ? Topic::Forwarded : Topic::Placed, Id, Leaf});
    for (uint32_t N = 0; N != Sources && !mayRetype(X.P, At); ++N)
      L.open({Topic::SourceType, Id, Leaf, N});
    if (Line && X.Lines.dump()[Line].Tag.HasColor)
      L.open({Topic::Space, Id, Leaf});
  }
}

void proof::enumerateParts(const ProofModel &X, Ledger &L) {
  X.Lines.forEach([&](HloId Id) { addParts(X, Id, L); });
  L.seal();
}

static void addOperands(const ProofModel &X, HloId Id, Ledger &L) {
  bool Fused = X.op(Id) == Opcode::Fusion;
  for (auto [K, Operand] : llvm::enumerate(X.P.operands(Id))) {
    auto N = static_cast<uint32_t>(K);
    L.open({Topic::OperandBefore, Id, 0, N});
    if (Fused)
      for (uint32_t Leaf : X.Lines.leaves(Operand))
        L.open({Topic::OperandType, Id, 0, N, Leaf});
  }
  for (uint32_t N = 0, Count = predecessorNames(X.P, Id).size(); N != Count;
       ++N)
    L.open({Topic::PredecessorBefore, Id, 0, N});
}

void proof::enumerateOperands(const ProofModel &X, Ledger &L) {
  X.Lines.forEach([&](HloId Id) { addOperands(X, Id, L); });
  L.seal();
}

namespace {
class Enumeration {
public:
  Enumeration(const ProofModel &X, Ledger &L) : X(X), P(X.P), L(L) {}

  void run() {
    X.Lines.forEach([&](HloId Id) {
      addInputs(Id);
      addAccesses(Id);
      addFlight(Id);
    });
    addBorders();
    L.seal();
  }

private:
  void addInputs(HloId Id);
  void addAccesses(HloId Id);
  void addInPlace(HloId Id);
  void addFlight(HloId Id);
  void addBorders();

  const ProofModel &X;
  const Program &P;
  Ledger &L;
};
} // namespace

void Enumeration::addInputs(HloId Id) {
  if (!P.isInput(Id))
    return;
  for (uint32_t Leaf : X.Lines.leaves(Id)) {
    if (!X.Lines.line({Id, Leaf}))
      continue;
    L.open({Topic::AtStart, Id, Leaf});
    bool Donated =
        X.op(Id) == Opcode::Parameter &&
        X.Lines.isDonated(P[Id].number(), P.trees().index(P[Id].Shape, Leaf));
    if (!Donated)
      L.open({Topic::InputKept, Id, Leaf});
  }
}

/// Each write with each read that shares a byte with it: a sweep over their
/// places, for calls with thousands of both.
void Enumeration::addInPlace(HloId Id) {
  InstructionAccesses Does = X.Does.of(Id);
  struct Access {
    BytePlace Place;
    const PartWrite *Write;
    const PartRead *Read;
  };
  std::vector<Access> All;
  for (const PartWrite &W : Does.Writes)
    All.push_back({X.place(W.Line), &W, nullptr});
  for (const PartRead &R : Does.Reads)
    if (R.Home)
      All.push_back({X.place(R.Home), nullptr, &R});
  llvm::sort(All, [](const Access &A, const Access &B) {
    return std::tuple(A.Place.Memory, A.Place.Begin) <
           std::tuple(B.Place.Memory, B.Place.Begin);
  });
  std::vector<Access> Open;
  for (const Access &Next : All) {
    llvm::erase_if(Open, [&](const Access &Each) {
      return Each.Place.Memory != Next.Place.Memory ||
             Each.Place.End <= Next.Place.Begin;
    });
    for (const Access &Each : Open) {
      const PartWrite *W = Next.Write ? Next.Write : Each.Write;
      const PartRead *R = Next.Read ? Next.Read : Each.Read;
      if (W && R && Next.Place.meets(Each.Place))
        L.open({Topic::InPlace, Id, W->Ordinal, R->Operand, R->Ordinal});
    }
    Open.push_back(Next);
  }
}

void Enumeration::addAccesses(HloId Id) {
  InstructionAccesses Does = X.Does.of(Id);
  bool Done = isDone(X.op(Id));
  for (const PartRead &R : Does.Reads)
    L.open({Done ? Topic::Awaited : Topic::Read, Id, 0, R.Operand, R.Ordinal});
  for (const PartWrite &W : Does.Writes)
    L.open({Topic::Written, Id, W.Ordinal});
  if (!Done && !Does.Writes.empty())
    addInPlace(Id);
  if (P.root(P[Id].Parent) == Id && P[Id].Parent != P.module().Entry)
    for (uint32_t Leaf : X.Lines.leaves(Id))
      L.open({Topic::Returned, Id, Leaf});
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

void proof::enumerateAccesses(const ProofModel &X, Ledger &L) {
  Enumeration(X, L).run();
}
