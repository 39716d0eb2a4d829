// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dump against module.
//
// What the checks that compare a dump with its module share: whether a part
// can be compared, and how much of it is said.

#ifndef HLOBUF_CHECKS_MODULE_MODULEDIFFERENCE_H
#define HLOBUF_CHECKS_MODULE_MODULEDIFFERENCE_H

#include "Checks/Check.h"
#include "Dataflow/ModuleAnalysis.h"

namespace hlobuf {

/// What the module implies, to be compared with the dump; null where that
/// cannot be, and \p Diags says why.
const ModuleAnalysis *usableModule(const CheckContext &Ctx, Reporter &Diags);

/// Says why \p Analysis, which has an obstacle, was not used.
void reportObstacle(const ModuleAnalysis &Analysis, Reporter &Diags);

/// Says one difference.
using DescribeFn = llvm::function_ref<Finding(
    const ModuleAnalysis &, Reporter &, Severity, const Difference &)>;

/// Compares \p Part of the dump with the module. The differences of the first
/// part that differs are findings of their own; those of later parts follow
/// from them and become notes of the first.
void reportDifferences(const CheckContext &Ctx, Reporter &Diags,
                       DerivedPart Part, DescribeFn Describe);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_MODULE_MODULEDIFFERENCE_H
