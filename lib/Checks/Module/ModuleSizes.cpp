// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On CPU and GPU a value has the bytes of its shape, or the largest of its
// alias set (buffer_assignment.cc, 2019-2026).

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

void hlobuf::checkModuleSizes(const CheckContext &Ctx, Reporter &Diags) {
  std::vector<std::optional<uint64_t>> Expected;
  reportDifferences(
      Ctx, Diags, DerivedPart::Sizes,
      [&](const ModuleAnalysis &Analysis, Reporter &, Severity Level,
          const Difference &Found) {
        if (Expected.empty())
          Expected = expectedSizes(Analysis.derived());
        const Value &V = Ctx.dump()[Found.Line];
        HloId Id = Analysis.flow()[Found.Value].Definition;
        return Diags
            .reportAs(Level, Ctx.places().value(V).Size,
                      "{} has {} bytes, but the module's shapes need {}",
                      Ctx.dump().spell(V.Tag), V.Size,
                      *Expected[Found.Value.index()])
            .note(Analysis.program().place(Id), "{} is here",
                  Analysis.program().spell(Id))
            .about(Found.Line);
      });
}
