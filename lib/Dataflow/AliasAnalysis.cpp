// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/AliasAnalysis.h"
#include "Program/PartOrigins.h"
#include "llvm/ADT/DenseSet.h"
#include <numeric>

using namespace hlobuf;

bool AliasAnalysis::isNoOp(HloId Id) const {
  return P[Id].Op == Opcode::Bitcast ||
         (Rules.ReshapeIsNoOp && P[Id].Op == Opcode::Reshape);
}

/// What \p From is, inside of a fusion.
Part AliasAnalysis::follow(Part From) const {
  for (Opcode Op : {Opcode::Tuple, Opcode::GetTupleElement})
    while (P[From.Id].Op == Op) {
      auto Source = P.forwardedPart(From.Id, From.Ordinal);
      if (!Source)
        return From;
      From = {P.operands(From.Id)[Source->Operand], Source->Ordinal};
    }
  while (Rules.NoOpsOnBothSides && From.Ordinal == 0 && isNoOp(From.Id))
    From.Id = P.operands(From.Id)[0];
  return From;
}

/// The part of an operand that \p Output is written in place of, the first one
/// if there are several; invalid if there is none.
Part AliasAnalysis::sourceOf(Part Output, bool BodyOnly) {
  ArrayRef<WorkingPair> Pairs = pairs(Output.Id, BodyOnly);
  const auto *First = llvm::partition_point(
      Pairs, [&](const WorkingPair &X) { return X.Result < Output.Ordinal; });
  if (First == Pairs.end() || First->Result != Output.Ordinal)
    return {};
  return follow({P.operands(Output.Id)[First->Operand], First->OperandPart});
}

/// Pairs of a fusion that follow from its body
/// (xla/hlo/analysis/alias_info.cc, GetFusionInPlaceInputOutputPairs).
SmallVector<WorkingPair, 2> AliasAnalysis::fusionPairs(HloId Id,
                                                       bool Declared) {
  SmallVector<WorkingPair, 2> Pairs;
  ComputationId Body = P.callee(Id, CallRole::Calls);
  for (uint32_t K = 0; Body && K != P.trees().parts(P[Id].Shape); ++K) {
    if (P.trees().isTuple(P[Id].Shape, K))
      continue;
    Part Source = sourceOf(follow({P.root(Body), K}), /*BodyOnly=*/true);
    if (!Source)
      continue;
    if (P[Source.Id].Op == Opcode::Fusion && Rules.NestedFusions)
      if (Part Inner = sourceOf(Source, /*BodyOnly=*/false))
        Source = Inner;
    if (!Rules.NoOpsOnBothSides && Rules.OneNoOp && isNoOp(Source.Id))
      Source.Id = P.operands(Source.Id)[0];
    if (P[Source.Id].Op == Opcode::Parameter)
      Pairs.push_back({P[Source.Id].number(), Source.Ordinal, K});
  }
  if (Declared)
    llvm::append_range(Pairs, declaredPairs(P, Id));
  return Pairs;
}

/// The rules of the release; workingPairs() has those of the newest one.
SmallVector<WorkingPair, 2> AliasAnalysis::findPairs(HloId Id, bool BodyOnly) {
  bool Counts = true;
  switch (P[Id].Op) {
  case Opcode::AllReduceStart:
    Counts = !Rules.NvshmemCopies || !usesNvshmem(P, Id);
    break;
  case Opcode::CollectivePermute:
    Counts = Rules.PermutesOfFourInPlace || P.isInPlacePermute(Id);
    break;
  case Opcode::CollectivePermuteStart:
    Counts = Rules.PermuteStartsOfFourInPlace || P.isInPlacePermute(Id);
    break;
  case Opcode::RaggedAllToAll:
    Counts = Rules.RaggedInPlace;
    break;
  case Opcode::AsyncStart:
    Counts = Rules.AsyncStartAliases;
    break;
  case Opcode::Fusion:
    return fusionPairs(Id, !BodyOnly && Rules.FusionAliases);
  default:
    Counts = !isAsync(P[Id].Op) || Rules.LateBinding;
  }
  if (Counts && isAsync(P[Id].Op))
    return declaredPairs(P, Id);
  return Counts ? workingPairs(P, Id) : SmallVector<WorkingPair, 2>();
}

ArrayRef<WorkingPair> AliasAnalysis::pairs(HloId Id, bool BodyOnly) {
  if (!mayWorkInPlace(P[Id].Op))
    return {};
  uint32_t Key = Id.index() * 2 + (BodyOnly && P[Id].Op == Opcode::Fusion);
  if (auto Entry = Known.find(Key); Entry != Known.end())
    return Entry->second;
  SmallVector<WorkingPair, 2> Pairs = findPairs(Id, BodyOnly);
  llvm::erase_if(Pairs, [&](const WorkingPair &Pair) {
    return Pair.Operand >= P.operands(Id).size();
  });
  std::ranges::stable_sort(Pairs, {}, &WorkingPair::Result);
  return Known[Key] = {Pairs.begin(), Pairs.end()};
}

AliasAnalysis::AliasAnalysis(const DataflowAnalysis &Flow,
                             const ReleaseRules &Rules)
    : Flow(Flow), P(Flow.program()), Rules(Rules), Sets(Flow.values().size()) {
  // Texts do not tell what must alias.
  if (!P.isFromTexts())
    joinAll();
  Groups = Sets.take();
  Known.clear();
}

void AliasAnalysis::joinAll() {
  joinDonated();
  for (HloId Id : ids<HloId>(P.size())) {
    if (!Flow.hasLocations(Id))
      continue;
    if (P[Id].Op == Opcode::While) {
      joinLoop(Id);
    } else if (P[Id].Op == Opcode::Conditional) {
      // Branches may share a computation.
      DenseSet<uint32_t> Seen;
      for (const HloCall &Call : P.calls(Id))
        if (Seen.insert(Call.Callee.index()).second)
          joinAll(Id, P.root(Call.Callee));
    } else if (Rules.InPlace) {
      for (const WorkingPair &Pair : pairs(Id, /*BodyOnly=*/false))
        join({P.operands(Id)[Pair.Operand], Pair.OperandPart},
             {Id, Pair.Result});
      if (isAsync(P[Id].Op) && P[Id].Op != Opcode::AsyncStart)
        joinLate(Id);
    }
  }
}

void AliasAnalysis::join(HloValueId A, HloValueId B) {
  if (A && B)
    Sets.join(A.index(), B.index());
}

void AliasAnalysis::join(Part A, Part B) {
  if (A && B && A.Ordinal < P.trees().parts(P[A.Id].Shape) &&
      B.Ordinal < P.trees().parts(P[B.Id].Shape))
    join(Flow.at(A.Id, A.Ordinal), Flow.at(B.Id, B.Ordinal));
}

void AliasAnalysis::joinAll(HloId A, HloId B) {
  for (uint32_t I = 0; B && I != P.trees().parts(P[A].Shape); ++I)
    join({A, I}, {B, I});
}

/// What the start of \p Id's chain declares of operands that may be bound
/// later: they are at {0,n} of each element, results at {1} or the done itself.
void AliasAnalysis::joinLate(HloId Id) {
  HloId Start = Rules.LateBinding ? P.chains().start(Id) : HloId();
  if (!Start)
    return;
  bool Done = P[Id].Op == Opcode::AsyncDone;
  ShapeIndexTable &Indices = P.facts().dump().Indices;
  for (const DeclaredAlias &Alias : declaredAliases(P, Start)) {
    auto Result = Indices.steps(Alias.Output);
    if (Done && (Result.empty() || Result[0] != 1))
      continue;
    SmallVector<uint32_t, 4> Source = {0, Alias.Operand};
    Source.append(Indices.steps(Alias.Index));
    join(P.partAt(Done ? P.operands(Id)[0] : Id, Source),
         P.partAt(Id, ArrayRef<uint32_t>(Result).drop_front(Done)));
  }
}

void AliasAnalysis::joinLoop(HloId While) {
  joinAll(While, P.operands(While)[0]);
  for (const HloCall &Call : P.calls(While)) {
    if (Call.Role == CallRole::Body)
      joinAll(While, P.root(Call.Callee));
    // A parameter takes part where it kept a phi of its own.
    HloId Parameter = P.parameter(Call.Callee, 0);
    if (!Flow.hasLocations(Parameter))
      continue;
    for (uint32_t I = 0; I != P.trees().parts(P[Parameter].Shape); ++I)
      if (Flow.definedAt(Parameter, I))
        join({While, I}, {Parameter, I});
  }
}

void AliasAnalysis::joinDonated() {
  const HloModule &M = P.module();
  HloId Root = P.root(M.Entry);
  for (const HloAlias &Alias : M.Aliases)
    if (HloId Parameter = P.parameter(M.Entry, Alias.Parameter))
      join(Flow.at(Root, Alias.Output), Flow.at(Parameter, Alias.Index));
}

AliasMembers::AliasMembers(const DataflowAnalysis &Flow,
                           const AliasAnalysis &Sets)
    : Sets(Sets), Begin(Flow.values().size() + 1),
      Members(Flow.values().size()) {
  for (HloValueId V : ids<HloValueId>(Members.size()))
    ++Begin[Sets.group(V).index() + 1];
  std::partial_sum(Begin.begin(), Begin.end(), Begin.begin());
  std::vector<uint32_t> Next(Begin.begin(), Begin.end() - 1);
  for (HloValueId V : ids<HloValueId>(Members.size()))
    Members[Next[Sets.group(V).index()]++] = V;
}
