// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/PartSources.h"

using namespace hlobuf;
using namespace hlobuf::proof;

PartSources::PartSources(const ValuePlaces &Lines)
    : Lines(Lines), P(Lines.program()) {
  Begin.reserve(Lines.numParts() + 1);
  Lines.forEach([&](HloId Id) {
    for (uint32_t Leaf : Lines.leaves(Id)) {
      Begin.resize(Lines.number({Id, Leaf}) + 1, uint32_t(All.size()));
      Part At = {Id, Leaf};
      llvm::append_range(All, originsOf(P, At, Lines.line(At).valid()));
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
  return !wrapped(At.Id) || !Start ||
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
