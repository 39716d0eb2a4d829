// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unions of byte ranges.

#ifndef HLOBUF_MEMORY_BYTESPANS_H
#define HLOBUF_MEMORY_BYTESPANS_H

#include "Support/LLVM.h"
#include <cstdint>
#include <vector>

namespace hlobuf {

/// Bytes [Begin, End).
struct ByteSpan {
  uint64_t Begin = 0;
  uint64_t End = 0;

  uint64_t size() const { return End - Begin; }
  bool empty() const { return Begin == End; }
  bool operator==(const ByteSpan &) const = default;
};

/// The bytes that some of a changing set of spans cover. A change costs
/// O(log n) for n spans that are known beforehand.
class Covered {
public:
  /// No other spans may be added later than those of \p All.
  explicit Covered(ArrayRef<ByteSpan> All);

  /// Adds \p Bytes, which is not empty, or takes it away where \p Change is -1.
  void add(ByteSpan Bytes, int Change);
  uint64_t size() const { return Size[1]; }

private:
  void update(size_t Node, unsigned Height);
  size_t place(uint64_t Bound) const;

  /// The bounds of all spans, ascending.
  std::vector<uint64_t> Bounds;
  /// A segment tree over the pieces between bounds: the children of node N are
  /// 2N and 2N + 1, and the pieces are the nodes from Leaves on, a power of
  /// two.
  size_t Leaves = 1;
  /// By node: spans that cover all of it, and not all of its parent.
  std::vector<int> Count;
  /// By node: its covered bytes.
  std::vector<uint64_t> Size;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_BYTESPANS_H
