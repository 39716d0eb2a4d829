//===- Checks/Waste/LintArgumentCopy.cpp --------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of an argument that is not donated must not change, so that copy
// insertion copies it before it is updated in place
// (xla/service/copy_insertion.cc, 2017).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintArgumentCopy(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::ArgumentCopy);
}
} // namespace hlobuf
