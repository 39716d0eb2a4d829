// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers by the hashes of what they stand for.

#ifndef HLOBUF_SUPPORT_HASHSLOTS_H
#define HLOBUF_SUPPORT_HASHSLOTS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hlobuf {

/// A hash table of numbers below 2^32 - 1: open addressing, a power of two of
/// slots. What the numbers stand for, its user has.
class HashSlots {
public:
  struct Slot {
    uint32_t Hash = 0;
    /// The number plus one; 0 if the slot is free.
    uint32_t Place = 0;
  };

  /// The slot with \p Hash of whose number \p IsSame is true, or the free one
  /// where it belongs. There must be some slots.
  template <typename SameFn> Slot &find(uint32_t Hash, SameFn IsSame) {
    return All[indexOf(Hash, IsSame)];
  }
  template <typename SameFn>
  const Slot &find(uint32_t Hash, SameFn IsSame) const {
    return All[indexOf(Hash, IsSame)];
  }

  size_t size() const { return All.size(); }
  /// Asks for the memory where \p Hash belongs. There must be some slots.
  void prefetch(uint32_t Hash) const {
    __builtin_prefetch(&All[Hash & (All.size() - 1)]);
  }
  /// The number that is likely to be found for \p Hash, plus one; 0 if none is.
  uint32_t likelyPlace(uint32_t Hash) const {
    const Slot &First = All[Hash & (All.size() - 1)];
    return First.Hash == Hash ? First.Place : 0;
  }
  /// Makes room for one more than \p Count numbers.
  void reserveOneMore(size_t Count) {
    if ((Count + 1) * 4 > All.size() * 3)
      grow();
  }
  /// Forgets all numbers, and keeps the slots.
  void clear() { std::fill(All.begin(), All.end(), Slot()); }

private:
  template <typename SameFn>
  size_t indexOf(uint32_t Hash, SameFn IsSame) const {
    size_t Mask = All.size() - 1;
    size_t At = Hash & Mask;
    while (All[At].Place != 0 &&
           (All[At].Hash != Hash || !IsSame(All[At].Place - 1)))
      At = (At + 1) & Mask;
    return At;
  }
  void grow() {
    std::vector<Slot> Old = std::move(All);
    All.clear();
    All.reserve(Old.empty() ? 64 : Old.size() * 2);
    All.resize(Old.empty() ? 64 : Old.size() * 2);
    for (const Slot &S : Old)
      if (S.Place != 0)
        find(S.Hash, [](uint32_t) { return false; }) = S;
  }

  std::vector<Slot> All;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_HASHSLOTS_H
