//===- Checks/Waste/ReportWaste.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;

void hlobuf::reportWaste(const CheckContext &A, Reporter &R, WasteKind Kind) {
  const MemoryUse &Use = A.memory();
  const SpaceUse *Main = Use.space(0);
  if (!Main)
    return R.notApplicable("no allocation has color 0");
  bool Untimed = Kind == WasteKind::LargeConstant ||
                 Kind == WasteKind::SameConstant ||
                 Kind == WasteKind::UnusedDonation;
  if (!Use.isTimed() && !Untimed)
    return R.notChecked("live ranges are not known");
  for (const Waste &W : A.waste()) {
    if (W.Kind != Kind || W.Small)
      continue;
    R.report(A.places().line(A.dump()[W.Value]), "{}: {} of {} in {}",
             W.Message, humanBytes(W.Saved), humanBytes(Main->Allocated),
             Main->Name)
        .why(A.places().line(A.dump()[W.Owner]), "{}", W.Hint)
        .about(W.Value);
  }
}
