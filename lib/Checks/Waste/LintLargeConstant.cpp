//===- Checks/Waste/LintLargeConstant.cpp -------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant is in each executable, and in device memory for as long as that is
// loaded (xla/service/buffer_assignment.h, is_constant, 2018).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintLargeConstant(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::LargeConstant);
}
} // namespace hlobuf
