//===- Analysis/Comparison.h - Dump against module --------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_ANALYSIS_COMPARISON_H
#define HLOBUF_ANALYSIS_COMPARISON_H

#include "Analysis/Witness.h"

namespace hlobuf {

enum class DifferenceKind : uint8_t {
  /// The module implies it, the dump does not state it.
  Missing,
  /// The dump states it, the module does not imply it.
  Invented,
  /// Both have it, not alike.
  Unequal,
};

/// One difference. Which fields hold depends on the part.
struct Difference {
  DifferenceKind Kind = DifferenceKind::Unequal;
  FlowId Value;
  /// The value line, and another one of the same alias set.
  ValueId Line;
  ValueId Other;
  UsedId Used;
  /// Number of the sequence row, position, use, range row or allocation.
  uint32_t Row = 0;
  /// The instruction at that step, position or use, as the module has it.
  HloId Id;
  uint32_t Operand = 0;
  uint32_t Ordinal = 0;
};

/// Takes one difference; false to stop.
using DifferenceFn = llvm::function_ref<bool(const Difference &)>;

/// Calls \p Visit for the differences in \p Part, in the order of the dump.
void compare(const Witness &W, WitnessPart Part, DifferenceFn Visit);

/// What an allocation's header must say of its values.
struct ExpectedFlags {
  bool Constant = false;
  bool ThreadLocal = false;
  bool MaybeLiveOut = false;
  /// `parameter N at ShapeIndex {..}`.
  std::optional<std::pair<uint32_t, ShapeIndex>> Parameter;

  bool operator==(const ExpectedFlags &) const = default;
};

/// By allocation.
std::vector<ExpectedFlags> expectedFlags(const Witness &W);
ExpectedFlags statedFlags(const Allocation &Alloc);

/// Bytes that every member of \p V's alias set gets on CPU and GPU; nothing
/// where a member's are not known. Computed once for all values.
std::vector<std::optional<uint64_t>> expectedSizes(const Witness &W);

/// The peak step of the derived live ranges; nothing where some instruction's
/// bytes are not known.
std::optional<int32_t> expectedPeak(const Witness &W);

} // namespace hlobuf

#endif // HLOBUF_ANALYSIS_COMPARISON_H
