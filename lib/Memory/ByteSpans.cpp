// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/ByteSpans.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

Covered::Covered(llvm::ArrayRef<ByteSpan> All) {
  for (ByteSpan Bytes : All) {
    Bounds.push_back(Bytes.Begin);
    Bounds.push_back(Bytes.End);
  }
  llvm::sort(Bounds);
  Bounds.erase(std::unique(Bounds.begin(), Bounds.end()), Bounds.end());
  size_t Pieces = Bounds.empty() ? 0 : Bounds.size() - 1;
  Count.resize(4 * Pieces);
  Size.resize(4 * Pieces);
}

size_t Covered::place(uint64_t Bound) const {
  return static_cast<size_t>(llvm::lower_bound(Bounds, Bound) - Bounds.begin());
}

void Covered::add(ByteSpan Bytes, int By) {
  add(1, 0, Bounds.size() - 1, place(Bytes.Begin), place(Bytes.End), By);
}

/// Pieces [Low, High) are those of \p Node, [First, Last) those that change.
void Covered::add(size_t Node, size_t Low, size_t High, size_t First,
                  size_t Last, int By) {
  if (Last <= Low || High <= First)
    return;
  if (First <= Low && High <= Last) {
    Count[Node] += By;
  } else {
    size_t Middle = (Low + High) / 2;
    add(2 * Node, Low, Middle, First, Last, By);
    add(2 * Node + 1, Middle, High, First, Last, By);
  }
  if (Count[Node] != 0)
    Size[Node] = Bounds[High] - Bounds[Low];
  else
    Size[Node] = High - Low == 1 ? 0 : Size[2 * Node] + Size[2 * Node + 1];
}

uint64_t DisjointSpans::insert(ByteSpan Bytes) {
  if (Bytes.empty())
    return 0;
  uint64_t New = Bytes.size();
  auto At = Ends.upper_bound(Bytes.Begin);
  if (At != Ends.begin() && std::prev(At)->second > Bytes.Begin)
    --At;
  ByteSpan All = Bytes;
  while (At != Ends.end() && At->first < Bytes.End) {
    New -= std::min(At->second, Bytes.End) - std::max(At->first, Bytes.Begin);
    All.Begin = std::min(All.Begin, At->first);
    All.End = std::max(All.End, At->second);
    At = Ends.erase(At);
  }
  Ends[All.Begin] = All.End;
  return New;
}
