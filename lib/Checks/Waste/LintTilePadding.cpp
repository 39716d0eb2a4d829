//===- Checks/Waste/LintTilePadding.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TPU pads the two minor dimensions to tiles of 8 by 128 elements
// (xla/layout.h, Tile, 2018).
//
//===----------------------------------------------------------------------===//

#include "Checks/Waste/ReportWaste.h"

using namespace hlobuf;

namespace hlobuf {
void checkLintTilePadding(const CheckContext &A, Reporter &R) {
  reportWaste(A, R, WasteKind::TilePadding);
}
} // namespace hlobuf
