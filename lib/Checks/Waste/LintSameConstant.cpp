//===- Checks/Waste/LintSameConstant.cpp --------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HloCSE joins equal constants of one computation only
// (xla/service/hlo_cse.cc, 2017).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintSameConstant(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::SameConstant);
}
} // namespace hlobuf
