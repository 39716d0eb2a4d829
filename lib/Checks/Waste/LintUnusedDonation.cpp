//===- Checks/Waste/LintUnusedDonation.cpp ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What buffer_donor names in the final module was given away for nothing: pairs
// that fit are in input_output_alias by then
// (xla/service/optimize_input_output_buffer_alias.cc, 2023).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintUnusedDonation(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::UnusedDonation);
}
} // namespace hlobuf
