//===- Analysis/Expected.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Expected.h"
#include "Analysis/Sizes.h"

using namespace hlobuf;

ExpectedFlags hlobuf::statedFlags(const Allocation &Alloc) {
  ExpectedFlags Flags;
  Flags.Constant = Alloc.Constant;
  Flags.ThreadLocal = Alloc.ThreadLocal;
  Flags.MaybeLiveOut = Alloc.MaybeLiveOut;
  if (Alloc.Parameter)
    Flags.Parameter = {*Alloc.Parameter, Alloc.ParameterIndex.canonical()};
  return Flags;
}

std::vector<ExpectedFlags> hlobuf::expectedFlags(const Witness &W) {
  const Dump &D = W.analysis().dump();
  const Program &P = W.program();
  const Dataflow &F = W.flow();
  struct SetFacts {
    FlowId Parameter;
    bool Constant = false;
    bool AllLocal = true;
    bool LiveOut = false;
  };
  std::vector<SetFacts> Sets(F.values().size());
  HloId Root = P.root(P.module().Entry);
  for (size_t I = 0; I != F.values().size(); ++I) {
    const FlowValue &V = F[FlowId(I)];
    const ProgramNode &N = P[V.Definition];
    if (!P.hasBuffers(V.Definition))
      continue;
    SetFacts &Set = Sets[W.aliases().group(FlowId(I)).index()];
    Set.Constant |= N.Op == Opcode::Constant;
    if (N.Op == Opcode::Parameter && N.Parent == P.module().Entry &&
        !Set.Parameter)
      Set.Parameter = FlowId(I);
    Set.AllLocal &= P.classOf(N.Parent) == ComputationClass::ThreadLocal;
  }
  for (uint32_t K = 0; K != P.trees().parts(P[Root].Shape); ++K)
    if (FlowId V = F.at(Root, K))
      Sets[W.aliases().group(V).index()].LiveOut = true;
  std::vector<ExpectedFlags> All(D.Allocations.size());
  for (size_t I = 0; I != F.values().size(); ++I) {
    ValueId Line =
        P.hasBuffers(F[FlowId(I)].Definition) ? W.lineOf(FlowId(I)) : ValueId();
    if (!Line)
      continue;
    const SetFacts &Set = Sets[W.aliases().group(FlowId(I)).index()];
    ExpectedFlags &Flags = All[D[Line].Owner.index()];
    if (Set.Constant) {
      Flags.Constant = true;
    } else if (Set.Parameter) {
      const FlowValue &V = F[Set.Parameter];
      Flags.Parameter = {P[V.Definition].Number,
                         P.trees().index(P[V.Definition].Shape, V.Ordinal)};
    } else if (Set.AllLocal) {
      Flags.ThreadLocal = true;
      continue;
    }
    Flags.MaybeLiveOut |= Set.LiveOut;
  }
  return All;
}

std::vector<std::optional<uint64_t>> hlobuf::expectedSizes(const Witness &W) {
  const Dataflow &F = W.flow();
  const Program &P = W.program();
  const Dump &D = W.analysis().dump();
  std::vector<std::optional<uint64_t>> Sizes(F.values().size(), 0);
  for (size_t I = 0; I != F.values().size(); ++I) {
    const FlowValue &V = F[FlowId(I)];
    if (!P.hasBuffers(V.Definition))
      continue;
    auto Own =
        ownBytes(D.Shapes, P.trees().part(P[V.Definition].Shape, V.Ordinal),
                 W.analysis().backend(), 0);
    std::optional<uint64_t> &Set = Sizes[W.aliases().group(FlowId(I)).index()];
    if (!Own || !Set)
      Set.reset();
    else
      Set = std::max(*Set, *Own);
  }
  for (size_t I = 0; I != F.values().size(); ++I)
    Sizes[I] = Sizes[W.aliases().group(FlowId(I)).index()];
  return Sizes;
}

std::optional<int32_t> hlobuf::expectedPeak(const Witness &W) {
  const Dataflow &F = W.flow();
  const Dump &D = W.analysis().dump();
  auto Steps = static_cast<size_t>(W.schedule().steps());
  std::vector<uint64_t> Begin(Steps + 2, 0);
  std::vector<uint64_t> Last(Steps + 2, 0);
  for (size_t I = 0; I != F.values().size(); ++I) {
    std::optional<StepRange> Range = W.ranges()[FlowId(I)];
    if (!Range)
      continue;
    auto Bytes =
        logicalBytes(D.Shapes, W.program()[F[FlowId(I)].Definition].Shape);
    if (!Bytes || Range->End < Range->Start)
      return std::nullopt;
    Begin[static_cast<size_t>(Range->Start)] += *Bytes;
    Last[static_cast<size_t>(Range->End) + 1] += *Bytes;
  }
  int32_t Peak = 0;
  uint64_t Most = 0;
  uint64_t Live = 0;
  for (size_t Step = 0; Step != Begin.size(); ++Step) {
    Live += Begin[Step];
    if (Live > Most) {
      Most = Live;
      Peak = static_cast<int32_t>(Step);
    }
    Live -= Last[Step];
  }
  return Peak;
}
