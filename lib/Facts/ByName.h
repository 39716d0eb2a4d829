// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records grouped by name.

#ifndef HLOBUF_FACTS_BYNAME_H
#define HLOBUF_FACTS_BYNAME_H

#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>
#include <vector>

namespace hlobuf {

/// Numbers of records, grouped by the name that each record carries and
/// sorted by (index, number) inside a group. Built in linear time (but for the
/// sorting of groups).
class ByName {
public:
  ByName() = default;

  /// Groups records 0 .. Count-1, of which there are less than 2^31; \p Key
  /// gives a record's name and index.
  template <typename KeyFn> ByName(size_t Count, KeyFn Key) {
    // Names of the module come after those of the dump and have none.
    uint32_t NumNames = 0;
    for (uint32_t I = 0; I != Count; ++I)
      NumNames = std::max(NumNames, Key(I).first.index() + 1);
    Slots.assign(NumNames, None);
    // Most names have one record or none.
    std::vector<uint32_t> Sizes;
    for (uint32_t I = 0; I != Count; ++I) {
      uint32_t &Slot = Slots[Key(I).first.index()];
      if (Slot == None) {
        Slot = I;
      } else if (Slot < Several) {
        Slot = Several | static_cast<uint32_t>(Sizes.size());
        Sizes.push_back(2);
      } else {
        ++Sizes[Slot - Several];
      }
    }
    if (!Sizes.empty())
      fillGroups(std::move(Sizes), Count, Key);
  }

  /// The records with \p Name.
  LLVM_ATTRIBUTE_ALWAYS_INLINE llvm::ArrayRef<uint32_t>
  operator[](NameId Name) const {
    if (!Name || Name.index() >= Slots.size())
      return {};
    const uint32_t &Slot = Slots[Name.index()];
    if (Slot < Several)
      return llvm::ArrayRef<uint32_t>(Slot);
    if (Slot == None)
      return {};
    const uint32_t *Size = &Items[Slot - Several];
    return llvm::ArrayRef<uint32_t>(Size + 1, *Size);
  }

  /// The records with \p Name at \p Index; \p IndexOf gives a record's index.
  template <typename IndexOfFn>
  llvm::ArrayRef<uint32_t> at(NameId Name, ShapeIndex Index,
                              IndexOfFn IndexOf) const {
    llvm::ArrayRef<uint32_t> All = (*this)[Name];
    uint32_t Wanted = bits(Index);
    if (All.size() == 1)
      return bits(IndexOf(All[0])) == Wanted ? All : llvm::ArrayRef<uint32_t>();
    auto First = llvm::partition_point(
        All, [&](uint32_t I) { return bits(IndexOf(I)) < Wanted; });
    auto Last = std::find_if(First, All.end(), [&](uint32_t I) {
      return bits(IndexOf(I)) != Wanted;
    });
    return llvm::ArrayRef<uint32_t>(First, Last);
  }

private:
  static uint32_t bits(ShapeIndex Index) { return Index.canonical().bits(); }

  /// Collects the records of names that have several; \p Sizes says how many,
  /// by the number that the slot of the name holds.
  template <typename KeyFn>
  void fillGroups(std::vector<uint32_t> Sizes, size_t Count, KeyFn Key) {
    size_t NumItems = Sizes.size();
    for (uint32_t Size : Sizes)
      NumItems += Size;
    Items.reserve(NumItems);
    std::vector<uint32_t> &Begins = Sizes;
    for (uint32_t &Begin : Begins) {
      uint32_t Size = std::exchange(Begin, static_cast<uint32_t>(Items.size()));
      Items.push_back(0);
      Items.resize(Items.size() + Size);
    }
    for (uint32_t I = 0; I != Count; ++I) {
      uint32_t Slot = Slots[Key(I).first.index()];
      if (Slot < Several)
        continue;
      uint32_t *Size = &Items[Begins[Slot - Several]];
      Size[++*Size] = I;
    }
    for (uint32_t &Slot : Slots)
      if (Slot >= Several && Slot != None)
        Slot = Several | Begins[Slot - Several];
    auto Less = [&](uint32_t A, uint32_t B) {
      return bits(Key(A).second) < bits(Key(B).second);
    };
    for (uint32_t Begin : Begins) {
      auto First = Items.begin() + Begin + 1;
      auto Last = First + Items[Begin];
      if (!std::is_sorted(First, Last, Less))
        std::stable_sort(First, Last, Less);
    }
  }

  static constexpr uint32_t None = ~uint32_t(0);
  static constexpr uint32_t Several = uint32_t(1) << 31;

  /// By name: the number of its only record, None, or the place in Items, from
  /// Several on.
  std::vector<uint32_t> Slots;
  /// How many records a name has, and their numbers.
  std::vector<uint32_t> Items;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_BYNAME_H
