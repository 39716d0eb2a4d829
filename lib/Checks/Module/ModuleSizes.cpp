//===- Checks/Module/ModuleSizes.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On CPU and GPU a value has the bytes of its shape, or the largest of its
// alias set (buffer_assignment.cc, 2019-2026).
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

namespace hlobuf {
void checkModuleSizes(const CheckContext &A, Reporter &R) {
  std::vector<std::optional<uint64_t>> Expected;
  reportDifferences(
      A, R, DerivedPart::Sizes,
      [&](const ModuleAnalysis &W, Reporter &, Severity Level,
          const Difference &Found) {
        if (Expected.empty())
          Expected = expectedSizes(W.derived());
        const Value &V = A.dump()[Found.Line];
        HloId Id = W.flow()[Found.Value].Definition;
        return R
            .reportAs(Level, A.places().value(V).Size,
                      "{} has {} bytes, but the module's shapes need {}",
                      A.dump().spell(V.Tag), V.Size,
                      *Expected[Found.Value.index()])
            .note(W.program().place(Id), "{} is here", W.program().spell(Id))
            .about(Found.Line);
      });
}
} // namespace hlobuf
