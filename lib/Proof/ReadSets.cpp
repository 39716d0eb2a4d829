// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/ReadSets.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::SparseBitVector;

/// Lines that \p Id reads, or that phis take over.
void ReadSets::add(HloId Id, SparseBitVector<> &Set) const {
  auto Add = [&](Part At) {
    if (ValueId Line = X.Home.of(At))
      Set.set(Line.index());
  };
  InstructionAccesses Does = X.Does.of(Id);
  for (const PartRead &R : Does.Reads)
    Add(X.operandPart(Id, R.Operand, R.Ordinal));
  for (const PartBinding &B : Does.Bindings)
    for (Part Source : B.Sources)
      Add(Source);
  if (joinsValues(X.op(Id)))
    for (HloId Operand : X.P.operands(Id))
      for (uint32_t Leaf : X.Lines.leaves(Operand))
        Add({Operand, Leaf});
}

const SparseBitVector<> &ReadSets::of(ComputationId C) {
  auto [Entry, New] = Sets.try_emplace(C.index());
  if (!New)
    return Entry->second;
  SparseBitVector<> Set;
  for (ComputationId Inner : X.From.inside(C))
    for (HloId Id : X.P.order(Inner))
      add(Id, Set);
  return Sets[C.index()] = std::move(Set);
}
