// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When two arrays are alike.

#ifndef HLOBUF_PROOF_TYPERULES_H
#define HLOBUF_PROOF_TYPERULES_H

#include "HLO/ArrayOrder.h"
#include "HLO/Shape.h"

namespace hlobuf::proof {

/// A copy from \p A to \p B changes no byte. A scalar is alike in all layouts.
bool isSameType(const Shape &A, const Shape &B);

/// Sizes of all dimensions are the same.
bool hasSameSizes(const Shape &A, const Shape &B);

/// Dimensions are in the same order in memory.
bool hasSameOrder(const Shape &A, const Shape &B);

/// \p Dimensions of \p S, without those of one element, ascend.
bool ascends(ArrayRef<int64_t> Dimensions, const Shape &S);

/// Row-major, dimensions of one element aside.
bool isRowMajor(const Shape &S);

/// Number of elements; of dynamic dimensions the bound.
inline int64_t countElements(const Shape &S) {
  return ArrayOrder(S).elements();
}

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_TYPERULES_H
