// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Room for what is still to be read.

#ifndef HLOBUF_SUPPORT_RESERVE_H
#define HLOBUF_SUPPORT_RESERVE_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hlobuf {

/// Where \p To is full, makes room for what the rest of a text of \p Size bytes
/// will need if it goes on like the part before \p Offset. Room that is never
/// used takes addresses and no memory, but every copy of a growing array does.
template <typename T>
void reserveForRest(std::vector<T> &To, size_t Offset, size_t Size) {
  // What fewer say of the rest may be far from it.
  constexpr size_t Many = 4096;
  constexpr size_t MostTimes = 512;
  size_t Count = To.size();
  if (Count != To.capacity())
    return;
  double Rest = double(Count) * double(Size) / double(Offset + 1);
  size_t Most = Count < Many ? Count * 2 : Count * MostTimes;
  auto Needed = static_cast<size_t>(std::min(Rest * 1.1, double(Most)));
  To.reserve(16 + std::max(Needed, Count + Count / 5));
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_RESERVE_H
