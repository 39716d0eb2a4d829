// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of bytes of allocations.

#ifndef HLOBUF_THUNKS_SLICESET_H
#define HLOBUF_THUNKS_SLICESET_H

#include "Dump/Thunks.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlobuf {

/// Slices, asked for bytes: built by sorting, then each question costs O(log n)
/// but for the length of its answer. Slices with a negative offset or size are
/// in no set, and no question about one is true. Ends over INT64_MAX count as
/// INT64_MAX.
class SliceSet {
public:
  SliceSet() = default;
  explicit SliceSet(ArrayRef<ByteSlice> All);

  bool empty() const { return Slices.empty(); }
  /// The slices, each once, by allocation, offset and size.
  ArrayRef<ByteSlice> slices() const { return Slices; }

  /// \p Bytes is one of the slices.
  bool contains(const ByteSlice &Bytes) const;
  /// All of \p Bytes is in one slice.
  bool isInOne(const ByteSlice &Bytes) const;
  /// A slice with a byte of \p Bytes; null if there is none.
  const ByteSlice *overlapping(const ByteSlice &Bytes) const;
  /// The same, but not \p Bytes itself.
  const ByteSlice *overlappingOther(const ByteSlice &Bytes) const;
  bool overlaps(const ByteSlice &Bytes) const {
    return overlapping(Bytes) != nullptr;
  }
  /// Every byte of \p Bytes is in some slice.
  bool covers(const ByteSlice &Bytes) const;
  /// The bytes of \p Bytes that are in no slice, ascending.
  SmallVector<ByteSlice, 2> uncovered(const ByteSlice &Bytes) const;

private:
  /// Of the slices of one allocation up to this one: those that end last.
  struct Latest {
    uint32_t First = 0;
    /// First itself if there is only one.
    uint32_t Second = 0;
  };
  static bool isValid(const ByteSlice &Bytes) {
    return Bytes.Offset >= 0 && Bytes.Size >= 0;
  }
  /// The end, or -1 if it has no byte.
  static int64_t reach(const ByteSlice &Bytes);
  /// Of the slices of \p Allocation that begin at \p Last or before; null if
  /// there are none.
  const Latest *upTo(int64_t Allocation, int64_t Last) const;

  std::vector<ByteSlice> Slices;
  /// By slice.
  std::vector<Latest> Ends;
  /// Runs of bytes without a gap, by allocation and offset.
  std::vector<ByteSlice> Runs;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_SLICESET_H
