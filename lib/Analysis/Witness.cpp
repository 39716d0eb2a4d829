//===- Analysis/Witness.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Witness.h"
#include "Analysis/Comparison.h"

using namespace hlobuf;

Witness::Witness(const Analysis &A) : A(A), P(A) {
  findObstacle();
  if (!Obstacle.empty())
    return;
  findBest();
  countStrangers();
  findUnknownOpcodes();
  findNewRule();
}

/// Control computations that several instructions call would need sets of
/// values at one place; XLA clones them before (flatten_call_graph.cc).
static bool sharesCallees(const Program &P) {
  for (size_t C = 0; C != P.module().Computations.size(); ++C) {
    ComputationId Id(C);
    if (P.classOf(Id) != ComputationClass::Global || P.isEmbedded(Id))
      continue;
    size_t Callers = 0;
    for (HloId Caller : P.callers(Id))
      Callers += P[Caller].Op != Opcode::AsyncUpdate &&
                 P[Caller].Op != Opcode::AsyncDone;
    if (Callers > 1)
      return true;
  }
  return false;
}

void Witness::findObstacle() {
  // Whole modules are assigned at once since 2019-07; before, computation by
  // computation.
  if (A.dump().Values2019 == ValueForm::OneLine)
    Obstacle = "releases before 2019-07 assign each computation on its own";
  else
    Obstacle = P.obstacle();
  if (Obstacle.empty() && sharesCallees(P))
    Obstacle = "a computation is called from several places";
}

bool Witness::states(WitnessPart Part) const {
  const Dump &D = A.dump();
  bool Named = D.complete(Section::Used) || !P.leavesElementsOut();
  bool Ordered = P.module().Scheduled || P.adoptedOrder();
  bool Timed = Ordered && D.complete(Section::Sequence) &&
               !D.Sequence.empty() && A.isSequenceSound() && Named;
  switch (Part) {
  case WitnessPart::Sequence:
    return Timed;
  case WitnessPart::Values:
  case WitnessPart::Places:
  case WitnessPart::Flags:
    return D.complete(Section::Allocations);
  case WitnessPart::Sizes:
    return D.complete(Section::Allocations) && !A.isTPU();
  case WitnessPart::Positions:
  case WitnessPart::Uses:
    return D.complete(Section::Used);
  case WitnessPart::Ranges:
    return Timed && D.complete(Section::Ranges);
  case WitnessPart::Peak:
    return Timed && D.complete(Section::Ranges) && D.complete(Section::Peak);
  }
  return false;
}

std::optional<WitnessPart> Witness::firstDifference() const {
  for (unsigned I = 0; I != NumWitnessParts; ++I)
    if (differs(static_cast<WitnessPart>(I)))
      return static_cast<WitnessPart>(I);
  return std::nullopt;
}

bool Witness::confirms(WitnessPart Part) const {
  if (!Obstacle.empty() || AnotherTime)
    return false;
  std::optional<WitnessPart> First = firstDifference();
  return states(Part) && (!First || *First > Part);
}

/// Rules that differ for this module, newest first.
std::vector<Rules> Witness::distinctRules() const {
  bool Async = false;
  bool Fusions = false;
  bool Calls = false;
  bool SetsSize = false;
  bool StartsReduce = false;
  bool Permutes = false;
  bool Ragged = false;
  for (const HloInstruction &I : P.module().Instructions) {
    Async |= isAsync(I.Op.Op);
    Permutes |= I.Op.Op == Opcode::CollectivePermute ||
                I.Op.Op == Opcode::CollectivePermuteStart;
    Ragged |= I.Op.Op == Opcode::RaggedAllToAll;
    Fusions |= I.Op.Op == Opcode::Fusion;
    Calls |= I.Op.Op == Opcode::Call;
    SetsSize |= I.Op.Op == Opcode::SetDimensionSize;
    StartsReduce |= I.Op.Op == Opcode::AllReduceStart;
  }
  std::vector<Rules> Distinct;
  Rules Default;
  for (Rules R : possibleRules(A.era(), A.backend())) {
    R.From = 0;
    if (!Async) {
      R.AsyncRootStart = Default.AsyncRootStart;
      R.AsyncContextForwards = Default.AsyncContextForwards;
      R.AsyncUpdateSliceForwards = Default.AsyncUpdateSliceForwards;
      R.LateBinding = Default.LateBinding;
      R.AsyncTokens = Default.AsyncTokens;
      R.AsyncStartAliases = Default.AsyncStartAliases;
      R.AsyncDoneTuples = Default.AsyncDoneTuples;
      R.FlattenAsync = Default.FlattenAsync;
    }
    if (!Fusions) {
      R.NoOpsOnBothSides = Default.NoOpsOnBothSides;
      R.OneNoOp = Default.OneNoOp;
      R.NestedFusions = Default.NestedFusions;
      R.ReshapeIsNoOp = Default.ReshapeIsNoOp;
      R.FusionAliases = Default.FusionAliases;
    }
    if (!Permutes) {
      R.PermutesOfFourInPlace = Default.PermutesOfFourInPlace;
      R.PermuteStartsOfFourInPlace = Default.PermuteStartsOfFourInPlace;
    }
    if (!Ragged)
      R.RaggedInPlace = Default.RaggedInPlace;
    if (!Calls)
      R.CallUses = Default.CallUses;
    if (!SetsSize)
      R.SetDimensionSizeForwards = Default.SetDimensionSizeForwards;
    if (!StartsReduce)
      R.NvshmemCopies = Default.NvshmemCopies;
    if (!llvm::is_contained(Distinct, R))
      Distinct.push_back(R);
  }
  return Distinct;
}

void Witness::compareAll() {
  for (unsigned I = 0; I != NumWitnessParts; ++I) {
    auto Part = static_cast<WitnessPart>(I);
    if (states(Part))
      compare(*this, Part, [&](const Difference &) {
        Best->Differing |= 1u << I;
        return false;
      });
  }
}

void Witness::findBest() {
  for (const Rules &R : distinctRules()) {
    std::unique_ptr<Derived> Before = std::move(Best);
    Best = std::make_unique<Derived>(P, R);
    compareAll();
    if (Best->Differing == 0)
      return;
    if (Before &&
        llvm::popcount(Before->Differing) <= llvm::popcount(Best->Differing))
      Best = std::move(Before);
  }
  if (differs(WitnessPart::Values))
    tryOtherPhis();
}

/// Keeping a phi that could go is legal, and so is dropping one that a single
/// value reaches: a compiler that simplifies phis in another way is believed if
/// its phis explain the whole dump.
void Witness::tryOtherPhis() {
  const Dump &D = A.dump();
  auto IsPhiOfDump = [&](HloId Id, uint32_t Ordinal) {
    const ProgramNode &N = P[Id];
    ValueId Line = N.Name
                       ? A.findValue(N.Name, P.trees().index(N.Shape, Ordinal))
                       : ValueId();
    return Line && D[Line].Tag.Phi;
  };
  std::unique_ptr<Derived> Before = std::move(Best);
  for (const Rules &R : distinctRules()) {
    Best = std::make_unique<Derived>(P, R, IsPhiOfDump);
    compareAll();
    OtherPhis = Best->Flow.arePhisLegal() && Best->Differing == 0;
    if (OtherPhis)
      return;
  }
  Best = std::move(Before);
}

/// Names that only one of the two has tell a dump from before a late pass.
void Witness::countStrangers() {
  if (!differs(WitnessPart::Sequence) && !differs(WitnessPart::Values))
    return;
  size_t Strange = 0;
  size_t All = 0;
  auto Count = [&](WitnessPart Part) {
    if (states(Part))
      compare(*this, Part, [&](const Difference &Found) {
        Strange += Found.Kind != DifferenceKind::Unequal;
        return true;
      });
  };
  if (states(WitnessPart::Sequence)) {
    Count(WitnessPart::Sequence);
    All = A.dump().Sequence.size();
  } else {
    Count(WitnessPart::Values);
    All = A.dump().Values.size();
  }
  AnotherTime = Strange >= 6 && Strange * 20 > All;
}

/// What an opcode newer than this tool defines and passes on is a guess; so is
/// what an unknown opcode that is printed as foo-start wraps.
void Witness::findUnknownOpcodes() {
  for (size_t I = 0; I != P.module().Instructions.size(); ++I)
    Uncertain |= P[HloId(I)].Op == Opcode::Unknown && P.hasBuffers(HloId(I));
}

/// True if \p V is in an async body or at an async instruction.
bool Witness::touchesAsync(FlowId V) const {
  for (const FlowPosition &At : flow().positions(V))
    if (isAsync(P[At.Instruction].Op) ||
        schedule().asyncBody(P[At.Instruction].Parent))
      return true;
  return false;
}

/// One edit changes a value or two. A rule of XLA that this tool does not know
/// changes all values of one kind.
void Witness::findNewRule() {
  constexpr size_t Least = 3;
  std::optional<WitnessPart> Part = firstDifference();
  bool MayBeNewer = A.era().Before == Era().Before;
  if (!Part || !MayBeNewer || *Part == WitnessPart::Sequence)
    return;
  llvm::DenseMap<unsigned, size_t> Differing;
  std::vector<bool> Seen(flow().values().size());
  bool AllAsync = true;
  size_t Count = 0;
  auto KindOf = [&](FlowId V) {
    return static_cast<unsigned>(P[flow()[V].Definition].Op);
  };
  compare(*this, *Part, [&](const Difference &Found) {
    FlowId V = Found.Value;
    if (!V && Found.Line)
      V = find(A.dump()[Found.Line].Tag.Name, A.dump()[Found.Line].Tag.Index);
    if (!V || Seen[V.index()])
      return true;
    Seen[V.index()] = true;
    ++Count;
    ++Differing[KindOf(V)];
    AllAsync &= touchesAsync(V);
    return true;
  });
  if (Count < Least)
    return;
  if (AllAsync) {
    NewRuleFor = "values of async computations";
    return;
  }
  llvm::DenseMap<unsigned, size_t> All;
  for (size_t V = 0; V != Seen.size(); ++V)
    if (P.hasBuffers(flow()[FlowId(V)].Definition))
      ++All[KindOf(FlowId(V))];
  for (auto [Kind, Number] : Differing)
    if (Number < Least || Number != All.lookup(Kind))
      return;
  NewRuleFor = opcodeText(static_cast<Opcode>(Differing.begin()->first));
}

FlowId Witness::find(NameId Name, ShapeIndex Index) const {
  HloId Id = P.find(Name);
  if (!Id || !flow().hasLocations(Id))
    return FlowId();
  auto Ordinal = P.trees().ordinal(P[Id].Shape, Index);
  return Ordinal ? flow().definedAt(Id, *Ordinal) : FlowId();
}

ValueId Witness::lineOf(FlowId V) const {
  const FlowValue &Value = flow()[V];
  const ProgramNode &N = P[Value.Definition];
  return N.Name ? A.findValue(N.Name, P.trees().index(N.Shape, Value.Ordinal))
                : ValueId();
}

UsedId Witness::usedOf(FlowId V) const {
  const FlowValue &Value = flow()[V];
  const ProgramNode &N = P[Value.Definition];
  return N.Name ? A.findUsed(N.Name, P.trees().index(N.Shape, Value.Ordinal))
                : UsedId();
}
