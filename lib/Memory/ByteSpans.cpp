// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/ByteSpans.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

Covered::Covered(ArrayRef<ByteSpan> All) {
  for (ByteSpan Bytes : All) {
    Bounds.push_back(Bytes.Begin);
    Bounds.push_back(Bytes.End);
  }
  llvm::sort(Bounds);
  Bounds.erase(std::unique(Bounds.begin(), Bounds.end()), Bounds.end());
  size_t Pieces = Bounds.empty() ? 0 : Bounds.size() - 1;
  while (Leaves < Pieces)
    Leaves *= 2;
  Count.resize(2 * Leaves);
  Size.resize(2 * Leaves);
}

size_t Covered::place(uint64_t Bound) const {
  return static_cast<size_t>(llvm::lower_bound(Bounds, Bound) - Bounds.begin());
}

/// Counts the bytes of \p Node again, which is \p Height above the leaves.
void Covered::update(size_t Node, unsigned Height) {
  if (Count[Node] != 0) {
    size_t First = (Node << Height) - Leaves;
    size_t Last = std::min(First + (size_t(1) << Height), Bounds.size() - 1);
    Size[Node] = Bounds[Last] - Bounds[First];
  } else {
    Size[Node] = Height == 0 ? 0 : Size[2 * Node] + Size[2 * Node + 1];
  }
}

void Covered::add(ByteSpan Bytes, int Change) {
  size_t First = Leaves + place(Bytes.Begin);
  size_t Last = Leaves + place(Bytes.End); // half-open
  unsigned Height = 0;
  auto Add = [&](size_t Node) {
    Count[Node] += Change;
    update(Node, Height);
  };
  for (size_t Low = First, High = Last; Low < High; Low /= 2, High /= 2) {
    if (Low % 2 != 0)
      Add(Low++);
    if (High % 2 != 0)
      Add(--High);
    ++Height;
  }
  // Then what is above both ends.
  size_t Low = First / 2;
  size_t High = (Last - 1) / 2;
  for (Height = 1; Low != 0; Low /= 2, High /= 2, ++Height) {
    update(Low, Height);
    if (Low != High)
      update(High, Height);
  }
}
