// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interned names.

#ifndef HLOBUF_SUPPORT_NAMETABLE_H
#define HLOBUF_SUPPORT_NAMETABLE_H

#include "Support/Ids.h"
#include "Support/Lazy.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

namespace hlobuf {

/// Gives each distinct name a dense id. Names are not copied: the texts that
/// they are in must outlive the table.
///
/// A name is looked up by its stem, `fusion.`, and the number at its end. Names
/// that come after each other differ in few stems and in numbers that are near,
/// and each stem has a table of its own: what is looked up is in the cache.
class NameTable {
public:
  /// Tells a name from all others: its stem, and its number.
  using Key = IdPair;

  /// The key of \p Name, which need not have an id.
  Key keyOf(StringRef Name) {
    auto [Stem, Number] = split(Name);
    auto [Entry, IsNew] = Stems.try_emplace(Stem, Stems.size());
    if (IsNew)
      Ids.emplace_back();
    return {Entry->second, Number};
  }

  /// The id of \p Name, new if it was not seen before.
  NameId intern(StringRef Name) {
    auto [Stem, Number] = keyOf(Name);
    auto [Entry, IsNew] = Ids[Stem].try_emplace(Number, size());
    if (IsNew) {
      Texts.push_back(Name.data());
      Sizes.push_back(static_cast<uint32_t>(Name.size()));
    }
    return Entry->second;
  }

  /// Call after the last intern(): frees what finds names. The next find(), and
  /// few dumps need one, makes it again.
  void finish() { Ids = IdMaps(); }

  /// The id of the name with \p Own, invalid if it was never interned.
  NameId find(Key Own) const {
    return size() == 0 ? NameId() : ids()[Own.first].lookup(Own.second);
  }
  NameId find(StringRef Name) const {
    auto [Stem, Number] = split(Name);
    auto Known = Stems.find(Stem);
    return Known == Stems.end() ? NameId() : find(Key(Known->second, Number));
  }

  StringRef operator[](NameId Id) const {
    return {Texts[Id.index()], Sizes[Id.index()]};
  }

  /// Number of distinct names; ids are below.
  size_t size() const { return Texts.size(); }

private:
  /// By stem: ids by number. Many stems have one name.
  using IdMaps = std::vector<llvm::SmallDenseMap<uint32_t, NameId, 4>>;

  /// Cuts off up to nine digits that begin with no zero; 0 if there are none.
  static std::pair<StringRef, uint32_t> split(StringRef Name) {
    constexpr size_t MostDigits = 9;
    size_t Stem = Name.size();
    uint32_t Number = 0;
    uint32_t Unit = 1;
    for (size_t I = Name.size(); I != 0 && Name.size() - I != MostDigits;
         Unit *= 10) {
      char Digit = Name[--I];
      if (!llvm::isDigit(Digit))
        break;
      if (Digit == '0')
        continue;
      Number += static_cast<uint32_t>(Digit - '0') * Unit;
      Stem = I;
    }
    return {Name.take_front(Stem), Number};
  }

  const IdMaps &ids() const {
    if (!Ids.empty())
      return Ids;
    return RebuiltIds.get([&] {
      IdMaps All(Stems.size());
      for (size_t I = 0; I != size(); ++I) {
        auto [Stem, Number] = split((*this)[NameId(I)]);
        All[Stems.lookup(Stem)].try_emplace(Number, I);
      }
      return All;
    });
  }

  DenseMap<StringRef, uint32_t> Stems;
  IdMaps Ids;
  mutable Lazy<IdMaps> RebuiltIds;
  /// By id; apart, so that no byte is padding.
  std::vector<const char *> Texts;
  std::vector<uint32_t> Sizes;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_NAMETABLE_H
