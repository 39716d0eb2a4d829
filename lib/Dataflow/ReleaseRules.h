//===- Dataflow/ReleaseRules.h - Rules of XLA by release --------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_RELEASERULES_H
#define HLOBUF_DATAFLOW_RELEASERULES_H

#include "Facts/ReleaseWindow.h"
#include <vector>

namespace hlobuf {

/// The dated rules of dataflow, aliasing and live ranges. The defaults are the
/// newest ones.
struct ReleaseRules {
  /// The oldest date these rules are of, as yyyymmdd.
  uint32_t From = 0;
  /// The result of an async body starts at its async-start (late 2026).
  bool AsyncRootStart = true;
  /// async-update forwards what is under {2} and above (until 2026-08-12).
  bool AsyncContextForwards = false;
  /// async-start{1} of a dynamic-update-slice is the operand that is updated,
  /// and chains of slices that cross a loop forward what enters the loop
  /// (2026-08-03).
  bool AsyncUpdateSliceForwards = true;
  /// Operands and results of async ops may be bound after async-start: a body
  /// is flattened at the first element that has all, and declared aliasing
  /// counts for updates and dones, too (2026-07-13).
  bool LateBinding = true;
  /// Every collective-permute of four operands is taken for the in-place form
  /// (until 2026-06-29; its start until 2026-04-21).
  bool PermutesOfFourInPlace = false;
  bool PermuteStartsOfFourInPlace = false;
  /// Async ops pass tokens on (2026-05-03).
  bool AsyncTokens = true;
  /// output_to_operand_aliasing of async-start counts (2026-01-08), of fusions
  /// (2022-11-17).
  bool AsyncStartAliases = true;
  bool FusionAliases = true;
  /// Fusions are looked through over any number of no-ops on both sides
  /// (2026-06-03); before, over one on the operand's side, if OneNoOp
  /// (2024-10-21).
  bool NoOpsOnBothSides = true;
  bool OneNoOp = false;
  /// reshape is such a no-op (GPU).
  bool ReshapeIsNoOp = false;
  /// ragged-all-to-all is in place (2024-11-26).
  bool RaggedInPlace = true;
  /// Fusions inside fusions are looked through (2024-06-10).
  bool NestedFusions = true;
  /// An all-reduce-start with nvshmem is not in place (GPU, 2025-07-14 to
  /// 2026-06-22).
  bool NvshmemCopies = false;
  /// Uses by call prolong a range (until 2024-01-08).
  bool CallUses = false;
  /// set-dimension-size forwards its operand (until 2023-10-20).
  bool SetDimensionSizeForwards = false;
  /// async-done defines the tuples of its result (2023-09-22).
  bool AsyncDoneTuples = true;
  /// A range ends one step before its alias starts (until 2022-06-24).
  bool OldNormalization = false;
  /// async bodies are flattened (2022-06-16).
  bool FlattenAsync = true;
  /// Positions prolong a range (2022-03-04); before, only uses did.
  bool PositionsCount = true;
  /// custom-call forwards operands that it aliases (until 2021-10-05).
  bool CustomCallForwards = false;
  /// Operations work in place at all (2020-09-17).
  bool InPlace = true;

  bool operator==(const ReleaseRules &) const = default;
};

/// The rules that a dump of \p When and \p By may follow, newest first; never
/// empty.
std::vector<ReleaseRules> possibleRules(const ReleaseWindow &When, Backend By);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_RELEASERULES_H
