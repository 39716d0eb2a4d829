// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes before what.

#include "Program/Schedule.h"
#include "Proof/Deciders.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// The instructions of all steps, but for elements that nobody names.
static std::vector<HloId> namedSteps(const Program &P) {
  std::vector<HloId> All;
  llvm::copy_if(Schedule(P, ReleaseRules()).sequence(), std::back_inserter(All),
                [&](HloId Id) { return P[Id].Name.valid(); });
  return All;
}

/// By instruction: its number in the order of its computation.
static std::vector<uint32_t> numberInOrder(const ProofModel &X) {
  std::vector<uint32_t> Number(X.P.size(), 0);
  for (ComputationId C : X.Lines.computations())
    for (auto [N, Id] : llvm::enumerate(X.P.order(C)))
      Number[Id.index()] = static_cast<uint32_t>(N);
  return Number;
}

void proof::decideOrder(const ProofModel &X, Ledger &L) {
  std::vector<uint32_t> Number = numberInOrder(X);
  auto IsBefore = [&](HloId Before, HloId Id, Rule By) -> Outcome {
    if (X.P[Before].Parent == X.P[Id].Parent &&
        Number[Before.index()] < Number[Id.index()])
      return By;
    return {Breach::TooEarly, X.P.spell(Id) + " before " + X.P.spell(Before)};
  };
  L.decide(Topic::OperandBefore, [&](const Obligation &O) {
    return IsBefore(X.P.operands(O.At)[O.Operand], O.At, Rule::OperandBefore);
  });
  L.decide(Topic::PredecessorBefore, [&](const Obligation &O) -> Outcome {
    StringRef Name = predecessorNames(X.P, O.At)[O.Operand];
    HloId Before = predecessor(X.P, O.At, Name);
    if (Before == O.At) // the unroller of loops adds such an edge (2026)
      return Rule::PredecessorBefore;
    if (Before)
      return IsBefore(Before, O.At, Rule::PredecessorBefore);
    if (X.P.module().Compact)
      return {Reason::PredecessorMissing, X.P.spell(O.At)};
    return {Breach::NoPredecessor, Name.str()};
  });
}

void proof::decideSequence(const ProofModel &X, Ledger &L) {
  const auto &Stated = X.Lines.dump().Sequence;
  std::vector<HloId> All = namedSteps(X.P);
  // Only 'Used values' name the elements that a module's text leaves out.
  auto IsLeftOut = [&](const SequenceRow &Step) {
    return X.P.module().Compact && !X.P.find(Step.Name);
  };
  std::vector<size_t> Before = {0};
  for (const SequenceRow &Step : Stated)
    Before.push_back(Before.back() + !IsLeftOut(Step));
  L.decide(Topic::StatedStep, [&](const Obligation &O) -> Outcome {
    size_t N = Before[O.Part];
    if (N == Before[O.Part + 1])
      return Rule::NoData;
    if (!X.P.facts().isSequenceSound())
      return Reason::SequenceBroken;
    bool Whole = N + 1 != Before.back() || All.size() == Before.back();
    if (Whole && N < All.size() && X.P[All[N]].Name == Stated[O.Part].Name)
      return Rule::StatedSequence;
    return {Reason::OtherSequence, fmt::format("step {}", O.Part)};
  });
}
