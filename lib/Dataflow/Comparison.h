// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dump against module.

#ifndef HLOBUF_DATAFLOW_COMPARISON_H
#define HLOBUF_DATAFLOW_COMPARISON_H

#include "Dataflow/Derivation.h"

namespace hlobuf {

/// What a dump states and a module implies, in the order of causes.
enum class DerivedPart : uint8_t {
  Sequence,
  Values,
  Positions,
  Uses,
  Places,
  Flags,
  Sizes,
  Ranges,
};
constexpr unsigned NumDerivedParts = 8;

/// How dump and module disagree.
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
  HloValueId Value = {};
  /// The value line, and another one of the same alias set.
  ValueId Line = {};
  ValueId Other = {};
  UsedId Used = {};
  /// Number of the sequence row, position, use, range row or allocation.
  uint32_t Row = 0;
  /// The instruction at that step, position or use, as the module has it.
  HloId Id = {};
  uint32_t Operand = 0;
  uint32_t Ordinal = 0;
};

/// Takes one difference; false to stop.
using DifferenceFn = function_ref<bool(const Difference &)>;

/// Calls \p Visit for the differences in \p Part, in the order of the dump.
void compare(const Derivation &Derived, DerivedPart Part, DifferenceFn Visit);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_COMPARISON_H
