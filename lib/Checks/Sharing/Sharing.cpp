//===- Checks/Sharing/Sharing.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Sharing/Sharing.h"
#include <algorithm>

using namespace hlobuf;

std::string hlobuf::sharedBytes(const Dump &D, const Value &V, const Value &W) {
  return fmt::format("bytes [{}, {}) of allocation {}",
                     std::max(V.Offset, W.Offset), std::min(V.end(), W.end()),
                     D[V.Owner].Index);
}

std::string hlobuf::spellStep(const Dump &D, int32_t Step) {
  if (Step >= 0 && static_cast<size_t>(Step) < D.Sequence.size())
    return fmt::format("step {} ({})", Step,
                       D.Names[D.Sequence[static_cast<size_t>(Step)].Name]);
  if (static_cast<size_t>(Step) == D.Sequence.size())
    return fmt::format("step {} (the end of the program)", Step);
  return fmt::format("step {}", Step);
}

bool hlobuf::canCompareAlternate(const CheckContext &A, Reporter &R,
                                 int32_t Color) {
  const Dump &D = A.dump();
  if (!D.complete(Section::Used) || !D.complete(Section::Texts) ||
      !A.isSequenceSound()) {
    R.notChecked("alternate memory: the last uses are unknown");
    return false;
  }
  if (A.privateStacksPossible(Color)) {
    R.notChecked("alternate memory in which async computations may have "
                 "private stacks");
    return false;
  }
  return true;
}

void hlobuf::notePlace(Finding &F, const Facts &A, ValueId V) {
  const Value &Val = A.dump()[V];
  F.note(A.places().value(Val).Offset, "{} occupies bytes [{}, {}) here",
         A.dump().spell(Val.Tag), Val.Offset, Val.end());
}

void hlobuf::noteRange(Finding &F, const Facts &A, ValueId V) {
  const Dump &D = A.dump();
  std::optional<uint32_t> Row = A.rangeRow(V);
  if (!Row)
    return;
  const LiveRangeRow &Range = D.Ranges[*Row];
  F.note(A.places().row(Range).First, "{} is live from {} to {}",
         D.spell(D[V].Tag), spellStep(D, Range.Start), spellStep(D, Range.End));
}
