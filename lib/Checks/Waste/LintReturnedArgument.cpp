//===- Checks/Waste/LintReturnedArgument.cpp ----------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result needs memory of its own even if it is an argument as it came in
// (xla/service/copy_insertion.cc, AddSpecialCaseCopies, 2017).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintReturnedArgument(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::ReturnedArgument);
}
} // namespace hlobuf
