//===- Checks/Ranges/ParameterRange.cpp -----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter of ENTRY that is not donated belongs to the caller: it lives from
// step 0 to the end, whatever reads it (hlo_live_range.cc: entry parameters
// that the module does not alias with its output, since 2021-04-07). From the
// dump alone, a parameter is not donated if its allocation is not
// maybe-live-out. Where several values follow each other in it, like the tokens
// of a loop with ordered effects, the first one begins there and the last one
// ends there.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Facts/Succession.h"

using namespace hlobuf;

namespace hlobuf {
void checkParameterRange(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.Sequence.empty())
    return R.notChecked("the instruction sequence is empty");
  if (!A.isSequenceSound())
    return R.notChecked("the instruction sequence is broken");
  for (const Allocation &Owner : D.Allocations) {
    if (!Owner.isParameter() || Owner.MaybeLiveOut)
      continue;
    for (uint32_t I = Owner.Values.Begin; I != Owner.Values.End; ++I) {
      std::optional<uint32_t> Number = A.rangeRow(ValueId(I));
      if (!Number)
        continue;
      const LiveRangeRow &Row = D.Ranges[*Number];
      bool FromStart = A.succession().reachesStart(ValueId(I));
      if (FromStart && A.succession().reachesEnd(ValueId(I)))
        continue;
      RowTexts Texts = A.places().row(Row);
      R.report(!FromStart ? Texts.First : Texts.Second,
               "live range of {} is {}-{}, expected 0-{} for a parameter that "
               "is not donated",
               D.spell(D.Values[I].Tag), Row.Start, Row.End, A.steps())
          .note(A.places().header(Owner).Parameter,
                "allocation {} is parameter {} and not maybe-live-out",
                Owner.Index, *Owner.Parameter)
          .about(ValueId(I));
    }
  }
}
} // namespace hlobuf
