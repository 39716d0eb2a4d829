// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Homes.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// Each sweep carries homes on through all operands, and through all calls in
/// one direction. Nothing nests as deep as this.
static constexpr unsigned MaxSweeps = 1000;

Homes::Homes(const ValuePlaces &Lines, const PartSources &From)
    : Lines(Lines), From(From), Home(Lines.numParts(), unset()) {
  for (size_t I = 0; I != Lines.dump().Values.size(); ++I)
    if (Part At = Lines.part(ValueId(I)); Lines.line(At) == ValueId(I))
      Home[Lines.number(At)] = ValueId(I);
  bool Changed = true;
  auto Sweep = [&](ComputationId C) {
    for (HloId Id : Lines.program().order(C))
      for (uint32_t Leaf : Lines.leaves(Id))
        Changed |= update({Id, Leaf});
  };
  for (unsigned N = 0; Changed && N != MaxSweeps; ++N) {
    Changed = false;
    // Callees are printed before their callers.
    if (N % 2 == 0)
      llvm::for_each(llvm::reverse(Lines.computations()), Sweep);
    else
      llvm::for_each(Lines.computations(), Sweep);
  }
}

/// A home is first not known, then a line, and at last none: this ends.
bool Homes::update(Part At) {
  ValueId &Mine = Home[Lines.number(At)];
  if (!Mine || Lines.line(At))
    return false;
  ValueId Before = Mine;
  ArrayRef<Part> Sources = From.of(At);
  if (Sources.empty())
    Mine = ValueId();
  for (Part Source : Sources) {
    uint32_t N = Lines.number(Source);
    ValueId Other = N == ValuePlaces::NoNumber ? ValueId() : Home[N];
    if (Other != unset() && Other != Mine)
      Mine = Mine == unset() ? Other : ValueId();
  }
  return Mine != Before;
}
