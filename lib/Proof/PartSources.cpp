// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/PartSources.h"
#include "Program/Program.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

PartSources::PartSources(const ValuePlaces &Lines)
    : Lines(Lines), P(Lines.program()) {
  Begin.reserve(Lines.numParts() + 1);
  Lines.forEach([&](HloId Id) {
    for (uint32_t Leaf : Lines.leaves(Id)) {
      Begin.resize(Lines.number({Id, Leaf}) + 1,
                   static_cast<uint32_t>(All.size()));
      llvm::append_range(All, find({Id, Leaf}));
    }
  });
  Begin.resize(Lines.numParts() + 1, static_cast<uint32_t>(All.size()));
}

SmallVector<HloId, 8> PartSources::bound(HloId Id) const {
  HloId State = P[Id].Op == Opcode::AsyncDone ? P.chains().producer(Id) : Id;
  return State ? P.chains().boundOperands(State) : SmallVector<HloId, 8>();
}

ComputationId PartSources::startedAt(HloId Id) const {
  ComputationId Body = wrapped(Id);
  auto HasOperands = [&](HloId Element) {
    return bound(Element).size() >= P.numParameters(Body);
  };
  if (!Body || (P[Id].Op != Opcode::AsyncDone && !HasOperands(Id)))
    return {};
  HloId Before =
      P[Id].Op == Opcode::AsyncStart ? HloId() : P.chains().producer(Id);
  return Before && HasOperands(Before) ? ComputationId() : Body;
}

bool PartSources::isSparseCoreContext(Part At) const {
  if (!hasAsyncState(P[At.Id].Op) || !P.facts().isTPU())
    return false;
  SmallVector<uint32_t, 4> Steps = Lines.steps(At);
  if (Steps.empty() || Steps[0] < 2)
    return false;
  HloId Start = P.chains().start(At.Id);
  return !wrapped(At.Id) || !Start || P.isHidden(Start) ||
         runsOnSparseCore(P.module().attributes(P.module()[Start]));
}

ArrayRef<ComputationId> PartSources::inside(ComputationId Body) const {
  std::vector<ComputationId> &All = Inside[Body.index()];
  if (!All.empty())
    return All;
  All.push_back(Body);
  for (size_t I = 0; I != All.size(); ++I)
    for (HloId Id : P.order(All[I]))
      if (isControlFlow(P[Id].Op))
        for (const HloCall &Call : P.calls(Id))
          if (!llvm::is_contained(All, Call.Callee))
            All.push_back(Call.Callee);
  return All;
}

/// What the start of an async chain is annotated with (xla/service/gpu/
/// transforms/stream_attribute_annotator.cc, 2023).
static StringRef streamOfStart(const Program &P, HloId Start) {
  if (P.isHidden(Start))
    return "";
  StringRef Attributes = P.module().attributes(P.module()[Start]);
  return Attributes.split("_xla_stream_annotation=\"").second.split('"').first;
}

StringRef PartSources::streamOf(ComputationId Body) const {
  StringRef Stream;
  auto IsOther = [&](HloId Start) {
    StringRef Own = streamOfStart(P, Start);
    if (Stream.empty())
      Stream = Own;
    return Own.empty() || Own != Stream;
  };
  for (HloId Caller : P.callers(Body))
    if (P[Caller].Op == Opcode::AsyncStart && IsOther(Caller))
      return "";
  for (ComputationId C : inside(Body))
    for (HloId Id : P.order(C))
      if (isStart(P[Id].Op) && IsOther(Id))
        return "";
  return Stream;
}

Part PartSources::operandPart(HloId Id, uint32_t Operand,
                              ArrayRef<uint32_t> Steps) const {
  ArrayRef<HloId> Operands = P.operands(Id);
  return Operand < Operands.size() ? Lines.partAt(Operands[Operand], Steps)
                                   : Part();
}

/// The roots of what \p Id calls.
static SmallVector<HloId, 2> rootsOf(const Program &P, HloId Id) {
  SmallVector<HloId, 2> Roots;
  for (const HloCall &Call : P.calls(Id))
    Roots.push_back(P.root(Call.Callee));
  return Roots;
}

PartSources::SourceList PartSources::find(Part At) const {
  switch (P[At.Id].Op) {
  case Opcode::While:
    return {
        Lines.partAt(P.operands(At.Id)[0], Lines.steps(At)),
        Lines.partAt(P.root(P.callee(At.Id, CallRole::Body)), Lines.steps(At))};
  case Opcode::Call:
  case Opcode::Conditional: {
    SourceList All;
    for (HloId Root : rootsOf(P, At.Id))
      All.push_back(Lines.partAt(Root, Lines.steps(At)));
    return All;
  }
  case Opcode::Parameter:
    return ofParameter(At);
  case Opcode::AsyncStart:
  case Opcode::AsyncUpdate:
    return ofAsync(At);
  case Opcode::AsyncDone:
    return ofDone(At);
  default:
    return ofOperand(At);
  }
}

PartSources::SourceList PartSources::ofParameter(Part At) const {
  const HloNode &N = P[At.Id];
  SourceList All;
  if (N.Parent == P.module().Entry || Lines.isLocal(N.Parent))
    return All;
  auto Steps = Lines.steps(At);
  for (HloId Caller : P.callers(N.Parent)) {
    switch (P[Caller].Op) {
    case Opcode::Call:
      All.push_back(operandPart(Caller, N.number(), Steps));
      break;
    case Opcode::While:
      All.push_back(operandPart(Caller, 0, Steps));
      All.push_back(
          Lines.partAt(P.root(P.callee(Caller, CallRole::Body)), Steps));
      break;
    case Opcode::Conditional:
      for (auto [K, Call] : llvm::enumerate(P.calls(Caller)))
        if (Call.Callee == N.Parent)
          All.push_back(
              operandPart(Caller, static_cast<uint32_t>(K + 1), Steps));
      break;
    case Opcode::AsyncStart:
      if (HloId Bound = P.chains().boundOperand(P.chains().lastUpdate(Caller),
                                                N.number()))
        All.push_back(Lines.partAt(Bound, Steps));
      break;
    default:
      break;
    }
  }
  return All;
}

/// Operands are at {0}, the results of the computation at {1}.
PartSources::SourceList PartSources::ofAsync(Part At) const {
  auto Steps = Lines.steps(At);
  if (Steps.empty())
    return {};
  ArrayRef<uint32_t> Rest = ArrayRef(Steps).drop_front();
  if (Steps[0] == 0 && !Rest.empty())
    if (HloId Bound = P.chains().boundOperand(At.Id, Rest[0]))
      return {Lines.partAt(Bound, Rest.drop_front())};
  if (ComputationId Body = wrapped(At.Id); Steps[0] == 1 && Body)
    if (Part Result = Lines.partAt(P.root(Body), Rest))
      return {Result};
  if (P[At.Id].Op == Opcode::AsyncUpdate)
    return {operandPart(At.Id, 0, Steps)};
  return {};
}

PartSources::SourceList PartSources::ofDone(Part At) const {
  auto Steps = Lines.steps(At);
  if (ComputationId Body = wrapped(At.Id))
    if (Part Result = Lines.partAt(P.root(Body), Steps))
      return {Result};
  Steps.insert(Steps.begin(), 1);
  return {operandPart(At.Id, 0, Steps)};
}

/// Markers of a call that is inlined and outlined again (xla/service/
/// call_marker.h, 2025) forward what they are given: the first as a tuple.
Part PartSources::markedOperand(Part At) const {
  StringRef Target = P.customCallTarget(At.Id);
  auto Steps = Lines.steps(At);
  if (!Target.consume_front("__xla_internal_call_marker_"))
    return {};
  if (Target == "before" && !Steps.empty())
    return operandPart(At.Id, Steps[0], ArrayRef(Steps).drop_front());
  return Target == "after" ? operandPart(At.Id, 0, Steps) : Part();
}

PartSources::SourceList PartSources::ofOperand(Part At) const {
  if (Part Marked = markedOperand(At))
    return {Marked};
  if (auto From = P.forwardedPart(At.Id, At.Ordinal))
    return {{P.operands(At.Id)[From->Operand], From->Ordinal}};
  if (Lines.line(At) || P.isHidden(At.Id))
    return {};
  // Releases that forwarded what is updated in place gave it no line.
  if (P[At.Id].Op == Opcode::SetDimensionSize)
    return {operandPart(At.Id, 0, Lines.steps(At))};
  if (P[At.Id].Op == Opcode::CustomCall)
    for (const DeclaredAlias &A : declaredAliases(
             P.module().attributes(P.module()[At.Id]), Lines.dump().Indices))
      if (P.trees().ordinal(P[At.Id].Shape, A.Output) == At.Ordinal)
        return {
            operandPart(At.Id, A.Operand, Lines.dump().Indices.steps(A.Index))};
  return {};
}
