//===- Checks/Waste/LintEarlyDefinition.cpp -----------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheduler moves a value to its use only as far as its heuristics go
// (xla/hlo/ir/hlo_schedule.h, 2018).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintEarlyDefinition(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::EarlyDefinition);
}
} // namespace hlobuf
