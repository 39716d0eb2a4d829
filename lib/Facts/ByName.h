// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records grouped by name.

#ifndef HLOBUF_FACTS_BYNAME_H
#define HLOBUF_FACTS_BYNAME_H

#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <vector>

namespace hlobuf {

/// Numbers of records, grouped by the name that each record carries and
/// sorted by (index, number) inside a group. Built in linear time (but for the
/// sorting of groups).
class ByName {
public:
  ByName() = default;

  /// Groups records 0 .. Count-1; \p Key gives a record's name and index.
  template <typename KeyFn> ByName(size_t Count, KeyFn Key) {
    // Names of the module come after those of the dump and have none.
    uint32_t NumNames = 0;
    for (uint32_t I = 0; I != Count; ++I)
      NumNames = std::max(NumNames, Key(I).first.index() + 1);
    Begins.assign(NumNames + 1, 0);
    for (uint32_t I = 0; I != Count; ++I)
      ++Begins[Key(I).first.index() + 1];
    std::partial_sum(Begins.begin(), Begins.end(), Begins.begin());
    Items.resize(Count);
    std::vector<uint32_t> Next(Begins.begin(), Begins.end() - 1);
    for (uint32_t I = 0; I != Count; ++I)
      Items[Next[Key(I).first.index()]++] = I;
    auto Less = [&](uint32_t A, uint32_t B) {
      return bits(Key(A).second) < bits(Key(B).second);
    };
    for (uint32_t Name = 0; Name != NumNames; ++Name) {
      auto First = Items.begin() + Begins[Name];
      auto Last = Items.begin() + Begins[Name + 1];
      if (!std::is_sorted(First, Last, Less))
        std::stable_sort(First, Last, Less);
    }
  }

  /// The records with \p Name.
  ArrayRef<uint32_t> operator[](NameId Name) const {
    if (!Name || Name.index() + 1 >= Begins.size())
      return {};
    uint32_t Begin = Begins[Name.index()];
    return ArrayRef(Items).slice(Begin, Begins[Name.index() + 1] - Begin);
  }

  /// The records with \p Name at \p Index; \p IndexOf gives a record's index.
  template <typename IndexOfFn>
  ArrayRef<uint32_t> at(NameId Name, ShapeIndex Index,
                        IndexOfFn IndexOf) const {
    ArrayRef<uint32_t> All = (*this)[Name];
    uint32_t Key = bits(Index);
    if (All.size() == 1)
      return bits(IndexOf(All[0])) == Key ? All : ArrayRef<uint32_t>();
    auto First = llvm::partition_point(
        All, [&](uint32_t I) { return bits(IndexOf(I)) < Key; });
    auto Last = std::find_if(
        First, All.end(), [&](uint32_t I) { return bits(IndexOf(I)) != Key; });
    return ArrayRef<uint32_t>(First, Last);
  }

private:
  static uint32_t bits(ShapeIndex Index) { return Index.canonical().bits(); }

  /// By name: where its records begin in Items; they end where those of the
  /// next one begin.
  std::vector<uint32_t> Begins;
  std::vector<uint32_t> Items;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_BYNAME_H
