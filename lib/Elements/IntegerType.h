// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of the machine.

#ifndef HLOBUF_ELEMENTS_INTEGERTYPE_H
#define HLOBUF_ELEMENTS_INTEGERTYPE_H

#include "HLO/Opcode.h"
#include "HLO/Shape.h"
#include <optional>

namespace hlobuf {

/// An integer type; pred is one bit without a sign.
struct IntegerType {
  unsigned Bits = 32;
  bool Signed = true;
  bool operator==(const IntegerType &) const = default;

  /// Nothing if \p S is not an array of integers.
  static std::optional<IntegerType> of(const Shape &S);
  /// \p Value modulo 2^Bits; nothing where that is over the largest int64_t.
  std::optional<int64_t> wrap(int64_t Value) const;
  int64_t least() const;
  /// The largest value that is also an int64_t.
  int64_t greatest() const;
};

/// How a compare orders its operands: one bit each for less, equal and greater.
enum class CompareDirection : uint8_t { LT = 1, EQ, LE, GT, NE, GE };

/// `direction=` of a compare; nothing if it is not there.
std::optional<CompareDirection> compareDirection(StringRef Attributes);

/// What elementwise \p Op makes of \p In as type \p To, by the rules of XLA
/// (xla.dev, "Operation semantics"): arithmetic wraps around, division by 0
/// gives -1 and its remainder the dividend. Nothing for opcodes that are not
/// followed.
std::optional<int64_t> computeInteger(Opcode Op, ArrayRef<int64_t> In,
                                      IntegerType To, StringRef Attributes);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_INTEGERTYPE_H
