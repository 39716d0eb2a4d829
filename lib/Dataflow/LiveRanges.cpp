//===- Dataflow/LiveRanges.cpp --------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/LiveRanges.h"

using namespace hlobuf;

LiveRanges::LiveRanges(const DataflowAnalysis &F, const AliasAnalysis &Groups,
                       const Schedule &S, const ReleaseRules &R)
    : F(F), P(F.program()), Groups(Groups), S(S), R(R) {
  Donated.assign(F.values().size(), false);
  const HloModule &M = P.module();
  for (const HloAlias &Alias : M.Aliases)
    if (HloId Parameter = P.parameter(M.Entry, Alias.Parameter))
      if (HloValueId V = F.at(Parameter, Alias.Index))
        Donated[V.index()] = true;
  Ranges.reserve(F.values().size());
  for (size_t V = 0; V != F.values().size(); ++V)
    Ranges.push_back(find(HloValueId(V)));
  normalize();
}

bool LiveRanges::isReadOnlyParameter(const HloValue &V) const {
  return P[V.Definition].Op == Opcode::Parameter &&
         P[V.Definition].Parent == P.module().Entry;
}

int32_t LiveRanges::startOf(HloId Definition) const {
  ComputationId C = P[Definition].Parent;
  int32_t Start = P[Definition].Op == Opcode::Parameter ? S.span(C).Start
                                                        : S.time(Definition);
  if (R.AsyncRootStart && P[Definition].Root && S.asyncBody(C) == C)
    for (HloId Caller : P.callers(C))
      if (P[Caller].Op == Opcode::AsyncStart)
        Start = std::max(Start, S.time(Caller));
  return Start;
}

/// What an async body touches is kept until its async-done.
int32_t LiveRanges::endOfAsync(ComputationId C, int32_t End) const {
  for (HloId Caller : P.callers(S.asyncBody(C))) {
    if (!isAsync(P[Caller].Op))
      continue;
    HloId Done =
        P[Caller].Op == Opcode::AsyncDone ? Caller : P.asyncEnd(Caller);
    bool InScope = P[Done].Op == Opcode::AsyncDone && S.time(Done) >= 0;
    End = std::max(End, InScope ? S.time(Done) : S.span(C).End);
  }
  return End;
}

int32_t LiveRanges::lastPosition(HloValueId V, int32_t End) const {
  for (const FlowPosition &At : F.positions(V).drop_front()) {
    ComputationId C = P[At.Instruction].Parent;
    if (P[At.Instruction].Root && S.isFlattened(C))
      End = std::max(End, S.span(C).End);
    else if (!P[At.Instruction].Root)
      End = std::max(End, S.time(At.Instruction));
  }
  return End;
}

int32_t LiveRanges::lastRootSpan(HloValueId V, int32_t End) const {
  for (const FlowPosition &At : F.positions(V)) {
    ComputationId C = P[At.Instruction].Parent;
    if (P[At.Instruction].Root && S.isFlattened(C))
      End = std::max(End, S.span(C).End);
  }
  return End;
}

int32_t LiveRanges::lastUse(HloValueId V) const {
  int32_t Last = -1;
  F.forEachUse(V, [&](HloId User, uint32_t, const FlowPosition &) {
    if (P[User].Op == Opcode::Call && !R.CallUses)
      return;
    HloId Reader = User;
    if (P[User].Op == Opcode::While)
      if (ComputationId Body = P.callee(User, CallRole::Body))
        if (HloId Parameter = P.parameter(Body, 0))
          Reader = Parameter;
    Last = std::max(Last, S.time(Reader));
  });
  return Last;
}

StepRange LiveRanges::find(HloValueId Id) const {
  const HloValue &V = F[Id];
  ComputationId C = P[V.Definition].Parent;
  if (S.time(V.Definition) < 0 || !S.isFlattened(C))
    return {-1, -1};
  StepRange Range = {startOf(V.Definition), 0};
  bool Kept = isReadOnlyParameter(V) && !Donated[Id.index()];
  if (!R.PositionsCount) {
    int32_t Last = lastUse(Id);
    Range.End = lastRootSpan(Id, Last >= 0 ? Last : Range.Start);
    if (Kept)
      Range.End = S.steps();
    return Range;
  }
  Range.End = P[V.Definition].Root ? S.span(C).End : S.time(V.Definition);
  if (S.asyncBody(C))
    Range.End = endOfAsync(C, Range.End);
  Range.End = lastPosition(Id, Range.End);
  Range.End = Kept ? S.steps() : std::max(Range.End, lastUse(Id));
  return Range;
}

void LiveRanges::normalize() {
  const Facts &A = P.facts();
  // Ids of the dump decide between equal ranges, as in the compiler.
  auto IdOf = [&](uint32_t V) -> uint32_t {
    const HloValue &Value = F[HloValueId(V)];
    const ProgramNode &N = P[Value.Definition];
    if (!N.Name)
      return 0;
    ValueId Line = A.findValue(N.Name, P.trees().index(N.Shape, Value.Ordinal));
    return Line ? A.dump()[Line].Tag.Id : 0;
  };
  std::vector<uint32_t> Members;
  std::vector<uint32_t> Sizes(Ranges.size(), 0);
  for (uint32_t V = 0; V != Ranges.size(); ++V)
    if (Ranges[V].Start >= 0)
      ++Sizes[Groups.group(HloValueId(V)).index()];
  for (uint32_t V = 0; V != Ranges.size(); ++V)
    if (Ranges[V].Start >= 0 && Sizes[Groups.group(HloValueId(V)).index()] > 1)
      Members.push_back(V);
  auto Group = [&](uint32_t V) { return Groups.group(HloValueId(V)).index(); };
  llvm::sort(Members, [&](uint32_t X, uint32_t Y) {
    auto Key = [&](uint32_t V) {
      return std::tuple(Group(V), Ranges[V].Start, Ranges[V].End);
    };
    auto KeyX = Key(X);
    auto KeyY = Key(Y);
    return KeyX != KeyY ? KeyX < KeyY
                        : std::pair(IdOf(X), X) < std::pair(IdOf(Y), Y);
  });
  for (size_t I = 1; I < Members.size(); ++I) {
    if (Group(Members[I - 1]) != Group(Members[I]))
      continue;
    StepRange &Before = Ranges[Members[I - 1]];
    StepRange &After = Ranges[Members[I]];
    if (!R.OldNormalization) {
      After.End = std::max(Before.End, After.End);
      Before.End = std::min(Before.End, After.Start);
    } else if (Before.Start == After.Start) {
      Before.End = After.End;
    } else if (Before.End >= After.Start) {
      After.End = std::max(Before.End, After.End);
      Before.End = After.Start - 1;
    }
  }
}
