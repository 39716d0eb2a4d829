//===- Checks/Module/ModulePeak.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The peak is the first step with the most live bytes, by the live ranges and
// instruction shapes of the module (hlo_live_range.cc, 2021-2026; its quirks
// are those of peak-moment).
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

namespace hlobuf {
void checkModulePeak(const CheckContext &A, Reporter &R) {
  reportDifferences(
      A, R, DerivedPart::Peak,
      [&](const ModuleAnalysis &W, Reporter &, Severity Level,
          const Difference &Found) {
        Finding F = R.reportAs(
            Level, A.places().peakHeader().First,
            "peak is at step {}, but according to the module it is at step {}",
            A.dump().PeakStep, Found.Row);
        if (Found.Row < W.schedule().sequence().size()) {
          HloId Id = W.schedule().sequence()[Found.Row];
          F.note(W.program().place(Id), "step {} is {}", Found.Row,
                 W.program().spell(Id));
        }
        return F.about(Section::Peak);
      });
  const ModuleAnalysis *W = A.moduleAnalysis();
  if (W && W->obstacle().empty() && W->states(DerivedPart::Peak) &&
      !expectedPeak(W->derived()))
    R.notChecked("the size of a live value is unknown");
}
} // namespace hlobuf
