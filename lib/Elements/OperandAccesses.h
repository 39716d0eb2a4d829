// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads which operand.
//
// Which parts of its operands an instruction reads for one part of its result,
// and how, but for the arithmetic of indices.

#ifndef HLOBUF_ELEMENTS_OPERANDACCESSES_H
#define HLOBUF_ELEMENTS_OPERANDACCESSES_H

#include "Program/Program.h"

namespace hlobuf {

/// A part of an operand.
struct ReadOperand {
  uint32_t Operand = 0;
  uint32_t Part = 0;
  auto operator<=>(const ReadOperand &) const = default;
};

/// How the elements of a result read an operand.
enum class AccessKind : uint8_t {
  /// Element i reads element i.
  SameIndex,
  /// Each element reads what is at its own address.
  SameBytes,
  /// By rules of the opcode: AccessMaps knows the elements.
  Mapped,
  /// As SameIndex, but for the window that an update writes.
  OutsideWindow,
  /// Indices tell which: AccessMaps knows the elements where those are
  /// constants that can be read, and it is Any where not.
  Indexed,
  /// Any element may be read for any other, by definition of the opcode.
  Any,
  /// The text does not tell.
  Unknown,
};

/// One operand that is read.
struct Access {
  uint32_t Operand = 0;
  uint32_t Part = 0;
  AccessKind Kind = AccessKind::Unknown;
};

/// The reads of part \p Part of \p Id, an array, in the order of operands. A
/// fusion reads nothing itself, and neither does a parameter.
llvm::SmallVector<Access, 4> findAccesses(const Program &P, HloId Id,
                                          uint32_t Part);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_OPERANDACCESSES_H
