// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peak is the first step with the most live bytes, by the live ranges and
// instruction shapes of the module (hlo_live_range.cc, 2021-2026; its quirks
// are those of peak-moment).

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

void hlobuf::checkModulePeak(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(
      Ctx, Diags, DerivedPart::Peak,
      [&](const ModuleAnalysis &Analysis, Reporter &, Severity Level,
          const Difference &Found) {
        Finding F = Diags.reportAs(
            Level, Ctx.places().peakHeader().First,
            "peak is at step {}, but according to the module it is at step {}",
            Ctx.dump().PeakStep, Found.Row);
        if (Found.Row < Analysis.schedule().sequence().size()) {
          HloId Id = Analysis.schedule().sequence()[Found.Row];
          F.note(Analysis.program().place(Id), "step {} is {}", Found.Row,
                 Analysis.program().spell(Id));
        }
        return F.about(Section::Peak);
      });
  const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
  if (Analysis && Analysis->obstacle().empty() &&
      Analysis->states(DerivedPart::Peak) && !expectedPeak(Analysis->derived()))
    Diags.notChecked("the size of a live value is unknown");
}
