// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices and addresses.
//
// Which indices of two arrays have the same address, and which have the same
// number, as relations: layouts and all tiles count (xla/layout.h; xla.dev,
// "Tiled layout").

#ifndef HLOBUF_ELEMENTS_ARRAYPLACES_H
#define HLOBUF_ELEMENTS_ARRAYPLACES_H

#include "Elements/IntegerSets.h"
#include "HLO/ArrayOrder.h"

namespace hlobuf {

/// True if elements with equal indices of \p A and \p B have the same address
/// and the same width, so that the index itself may stand for the address.
bool hasSameIndices(const Shape &A, const Shape &B);

/// True if \p A and \p B have dimensions of the same sizes.
bool hasSameSizes(const Shape &A, const Shape &B);

/// True if the elements of \p S are in memory in the order of their indices,
/// the last dimension fastest, without gaps.
bool isRowMajor(const Shape &S);

/// All indices of \p S.
IntegerSet allIndices(const IntegerSets &Sets, const Shape &S);

/// Relates each index of \p From to the indices of \p To that have a bit of
/// their elements in common; null where a layout is not understood.
IntegerMap samePlace(const IntegerSets &Sets, const Shape &From,
                     const Shape &To);

/// Relates each index of \p From to the index of \p To that has the same number
/// if the last dimension counts fastest: what reshape does.
IntegerMap sameNumber(const IntegerSets &Sets, const Shape &From,
                      const Shape &To);

/// True if both have the same tiles, or none.
bool hasSameTiles(const Shape &A, const Shape &B);

/// Relates each index of \p From to the index of \p To that one loop writes
/// together with it: the same index in memory order, else the same place; null
/// where neither can be determined.
IntegerMap samePosition(const IntegerSets &Sets, const Shape &From,
                        const Shape &To);

/// Relates each index of \p S to its number in the order of memory, tiles
/// aside.
IntegerMap memoryNumber(const IntegerSets &Sets, const Shape &S);

/// Relates each index of \p S to those that come before it in memory, tiles
/// aside.
IntegerMap toEarlier(const IntegerSets &Sets, const Shape &S);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_ARRAYPLACES_H
