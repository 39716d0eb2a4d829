//===- Checks/Waste/LintPeakCopy.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copy insertion copies what is read after its bytes are written in place
// (xla/service/copy_insertion.cc, 2017).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintPeakCopy(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::PeakCopy);
}
} // namespace hlobuf
