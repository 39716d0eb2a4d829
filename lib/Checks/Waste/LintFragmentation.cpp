//===- Checks/Waste/LintFragmentation.cpp -------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets in a temp are chosen by a heuristic
// (xla/service/heap_simulator.cc, GlobalDecreasingSizeBestFitHeap, 2017).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintFragmentation(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::Fragmentation);
}
} // namespace hlobuf
