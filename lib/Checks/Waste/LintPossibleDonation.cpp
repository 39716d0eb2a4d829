//===- Checks/Waste/LintPossibleDonation.cpp ----------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results and arguments have allocations of their own unless input_output_alias
// joins them (xla/service/buffer_assignment.cc, 2019).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintPossibleDonation(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::PossibleDonation);
}
} // namespace hlobuf
