//===- Checks/Waste/LintRecomputable.cpp --------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheduler keeps a value until its last use, however little it would cost
// to compute it twice.
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintRecomputable(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::Recomputable);
}
} // namespace hlobuf
