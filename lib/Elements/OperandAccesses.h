// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads which operand.
//
// Which parts of its operands an instruction reads for one part of its result,
// and how, but for the arithmetic of indices.

#ifndef HLOBUF_ELEMENTS_OPERANDACCESSES_H
#define HLOBUF_ELEMENTS_OPERANDACCESSES_H

#include "Elements/Scalars.h"

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
SmallVector<Access, 4> findAccesses(const Program &P, HloId Id, uint32_t Part);

/// A part of a result, or an operand of the instruction that is looked at:
/// number At.Scope, made by At.Id.
struct ReadNode {
  ScopedId Inst;
  uint32_t Part = 0;
  bool IsOperand = false;
};

/// An array that a node reads.
struct ReadEdge {
  ReadNode To;
  AccessKind Kind;
  /// Which operand it is; nothing where a fusion begins or ends, and bytes stay
  /// where they are.
  std::optional<uint32_t> Operand;
};

/// What \p N, no operand, reads: through fused computations, too.
SmallVector<ReadEdge, 2> readsOf(Scalars &All, const ReadNode &N);

/// The updates that make a result out of an operand, in place.
struct InPlaceChain {
  /// Where the chain begins, if HasOperand: else all elements are changed.
  bool HasOperand = false;
  ReadOperand Begin;
  /// dynamic-update-slices and scatters, the last one first.
  std::vector<ScopedId> Updates;
  /// A scatter is one of them.
  bool Scatters = false;
  /// Too long to be followed.
  bool Incomplete = false;

  /// Nothing is written that was not there.
  bool onlyForwards() const { return HasOperand && Updates.empty(); }
  /// The first update; invalid if there is none.
  HloId writer() const { return Updates.empty() ? HloId() : Updates.back().Id; }
};

/// How part \p Part of \p Id comes from an operand. Takes its steps from
/// \p Budget.
InPlaceChain findInPlaceChain(Scalars &All, HloId Id, uint32_t Part,
                              size_t &Budget);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_OPERANDACCESSES_H
