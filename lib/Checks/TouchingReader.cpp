//===- Checks/TouchingReader.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a value takes over the place of another one at the step at which that
// one ends, its instruction reads that one: taking over the bytes of a dying
// operand is the only way to share them at one step (heap_simulator.cc,
// RunComputation; buffer_assignment.cc, LiveRangeInterferes; 2017). Only in
// modules without while, conditional, call, async op and declared aliasing:
// elsewhere ranges are cut where the next value of a group starts
// (hlo_live_range.cc, NormalizeAliasedBuffers), which then does not read the
// one before.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Occupancy.h"
#include "Checks/Sharing.h"

using namespace hlobuf;

static bool readsValue(const Analysis &A, NameId Reader, ValueId V) {
  UsedId U = A.usedOf(V);
  return U && llvm::any_of(A.dump().uses(A.dump()[U]),
                           [&](const Use &Use) { return Use.Name == Reader; });
}

static void checkPair(const Analysis &A, Reporter &R, ValueId Ending,
                      ValueId Starting) {
  const Dump &D = A.dump();
  const Value &V = D[Ending], &W = D[Starting];
  if (V.Offset != W.Offset || V.Tag.Phi || W.Tag.Phi ||
      !A.hasText(W.Tag.Name) || readsValue(A, W.Tag.Name, Ending))
    return;
  Finding F = R.report(A.places().value(W).Offset,
                       "{} takes over {} from {} at {}, but its instruction "
                       "does not read that value",
                       D.spell(W.Tag), sharedBytes(D, V, W), D.spell(V.Tag),
                       spellStep(D, A.range(Starting)->Start));
  notePlace(F, A, Ending);
  noteRange(F, A, Ending);
  noteRange(F, A, Starting);
  F.about(Starting).about(Ending);
}

namespace hlobuf {
void checkTouchingReader(const Analysis &A, Reporter &R) {
  const Dump &D = A.dump();
  if (!A.isPlain()) {
    R.notChecked("the module has control flow, async ops or declared aliasing");
    return;
  }
  std::vector<TimedBytes> Stated;
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.Values.size() < 2)
      continue;
    Stated.clear();
    for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
      Occupancy O = findOccupancy(A, ValueId(V));
      if (O.Kind != Tenure::Unknown && O.Kind != Tenure::Concat)
        Stated.push_back(timedBytes(D, ValueId(V), O.Stated));
    }
    findTouching(Stated, Stated, [&](uint32_t Ending, uint32_t Starting) {
      checkPair(A, R, ValueId(Ending), ValueId(Starting));
    });
  }
}
} // namespace hlobuf
