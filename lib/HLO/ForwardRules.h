// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that are parts of operands.

#ifndef HLOBUF_HLO_FORWARDRULES_H
#define HLOBUF_HLO_FORWARDRULES_H

#include "HLO/Opcode.h"

namespace hlobuf {

/// Which parts at a path and below it are forwarded.
enum class ForwardedParts : uint8_t {
  All,
  /// All but the one at the path.
  BelowTop,
  /// Those that are not tuples.
  Leaves,
  /// The one at the path, if it is not a tuple.
  Leaf,
};

/// A path in a row HLOBUF_FORWARD of Opcodes.def, outermost step first.
struct ForwardPath {
  /// See HLOBUF_FORWARD.
  static constexpr int8_t Each = -1;
  static constexpr int8_t Own = -2;

  uint8_t Size = 0;
  int8_t Steps[2] = {0, 0};

  bool hasEach() const {
    return (Size > 0 && Steps[0] == Each) || (Size > 1 && Steps[1] == Each);
  }
  /// The steps, with these two in place of Each and Own.
  SmallVector<uint32_t, 4> steps(uint32_t EachStep, uint32_t OwnStep) const;
};

/// A row HLOBUF_FORWARD of Opcodes.def.
struct ForwardRule {
  Opcode Op = Opcode::Unknown;
  ForwardPath Result;
  ForwardPath Operand;
  ForwardedParts Parts = ForwardedParts::All;
};

/// The rows of Opcodes.def for \p Op: none if it computes all of its result.
ArrayRef<ForwardRule> forwardRules(Opcode Op);

/// A part of an operand.
struct OperandPath {
  uint32_t Operand = 0;
  /// Outermost step first.
  SmallVector<uint32_t, 4> Steps;
};

/// What \p Rule makes of the part of a result at \p Steps; nothing if the row
/// is about others. \p IsTuple is true if that part is a tuple, and \p Own the
/// element that a get-tuple-element takes.
std::optional<OperandPath> forwardedPath(const ForwardRule &Rule,
                                         ArrayRef<uint32_t> Steps, bool IsTuple,
                                         uint32_t Own = 0);

} // namespace hlobuf

#endif // HLOBUF_HLO_FORWARDRULES_H
