//===- Checks/Waste/LintWideCopy.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that converts a whole argument holds it twice while it is used.
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintWideCopy(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::WideCopy);
}
} // namespace hlobuf
