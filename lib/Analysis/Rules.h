//===- Analysis/Rules.h - What releases of XLA do differently ---*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_ANALYSIS_RULES_H
#define HLOBUF_ANALYSIS_RULES_H

#include "Analysis/Eras.h"
#include <vector>

namespace hlobuf {

/// The dated rules of dataflow, aliasing and live ranges. The defaults are the
/// newest ones.
struct Rules {
  /// The oldest date these rules are of, as yyyymmdd.
  uint32_t From = 0;
  /// The result of an async body starts at its async-start (late 2026).
  bool AsyncRootStart = true;
  /// async-update passes on what lies under {2} and above (until 2026-08-12).
  bool AsyncContextForwards = false;
  /// A body is flattened at async-start even if operands are bound later
  /// (until 2026-07-13).
  bool FlattenAtStart = false;
  /// Fusions are looked through over any number of no-ops on both sides
  /// (2026-06-03); before, over one on the operand's side, if OneNoOp
  /// (2024-10-21).
  bool NoOpsOnBothSides = true;
  bool OneNoOp = false;
  /// reshape is such a no-op (GPU).
  bool ReshapeIsNoOp = false;
  /// Fusions inside fusions are looked through (2024-06-10).
  bool NestedFusions = true;
  /// An all-reduce-start with nvshmem is not in place (GPU, 2025-07-14 to
  /// 2026-06-22).
  bool NvshmemCopies = false;
  /// Uses by call prolong a range (until 2024-01-08).
  bool CallUses = false;
  /// set-dimension-size passes its operand on (until 2023-10-20).
  bool SetDimensionSizeForwards = false;
  /// A range ends one step before its alias starts (until 2022-06-24).
  bool OldNormalization = false;
  /// async bodies are flattened (2022-06-16).
  bool FlattenAsync = true;
  /// Positions prolong a range (2022-03-04); before, only uses did.
  bool PositionsCount = true;
  /// custom-call passes on operands that it aliases (until 2021-10-05).
  bool CustomCallForwards = false;

  bool operator==(const Rules &) const = default;
};

/// The rules that a dump of \p When and \p By may follow, newest first; never
/// empty.
std::vector<Rules> possibleRules(const Era &When, Backend By);

} // namespace hlobuf

#endif // HLOBUF_ANALYSIS_RULES_H
