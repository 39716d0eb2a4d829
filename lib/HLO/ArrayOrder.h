// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of an array in memory.

#ifndef HLOBUF_HLO_ARRAYORDER_H
#define HLOBUF_HLO_ARRAYORDER_H

#include "HLO/Shape.h"

namespace hlobuf {

/// Numbers of elements are held within this; no array has as many.
constexpr int64_t MaxElement = int64_t(1) << 52;

/// The product, held within MaxElement on both sides.
int64_t boundedMultiply(int64_t A, int64_t B);
/// The sum, held within MaxElement on both sides.
int64_t boundedAdd(int64_t A, int64_t B);

/// The quotient rounded up, for positive \p B.
int64_t ceilDivide(int64_t A, int64_t B);

/// An array's dimensions in memory order, tiles aside.
class ArrayOrder {
public:
  explicit ArrayOrder(const Shape &S);

  size_t rank() const { return Sizes.size(); }
  /// Elements of dimension \p D, and elements between two neighbors in it.
  int64_t size(size_t D) const { return Sizes[D]; }
  int64_t stride(size_t D) const { return Strides[D]; }
  /// Number of elements.
  int64_t elements() const { return Elements; }
  /// Dimensions from the slowest to the fastest.
  ArrayRef<int64_t> majorToMinor() const { return Major; }
  /// Sizes and layout are understood, and all numbers are small enough.
  bool isValid() const { return Valid; }

private:
  SmallVector<int64_t, 4> Sizes;
  SmallVector<int64_t, 4> Strides;
  SmallVector<int64_t, 4> Major;
  int64_t Elements = 1;
  bool Valid = true;
};

/// One dimension of an array as it is in memory: Size places, Stride of the
/// logical dimension apart; dimension -1 for padding and parts of elements.
struct MemoryDimension {
  int64_t Dimension;
  int64_t Stride;
  int64_t Size;
};
/// The slowest first.
using MemoryDimensions = SmallVector<MemoryDimension, 8>;

/// Cuts the fastest of \p All into tiles of size \p T; dimensions that it
/// combines (`*`) become one of their number of elements, before they are cut
/// (Tile::kCombineDimension in xla/layout.h, 2018). False where that is not
/// understood.
bool applyTile(MemoryDimensions &All, const Tile &T);

/// The dimensions of \p S with its tiles; nothing where they are not
/// understood.
std::optional<MemoryDimensions> memoryDimensions(const Shape &S);

/// Bits that one element of array \p S takes in memory; 0 if unknown.
unsigned storedBits(const Shape &S);

/// True if dimensions, their order and tiles tell where elements are; splits,
/// physical shapes and metadata are not understood.
bool hasKnownAddresses(const Shape &S);

/// True if equal indices of \p A and \p B are at equal addresses: what a copy
/// between them leaves in place.
bool sameAddresses(const Shape &A, const Shape &B);

/// True if a copy from \p From to \p To changes no byte: both have one element
/// type and the same physical order of elements. Memory spaces do not count.
bool sameBytes(const Shape &From, const Shape &To);

} // namespace hlobuf

#endif // HLOBUF_HLO_ARRAYORDER_H
