// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interned names.

#ifndef HLOBUF_SUPPORT_NAMETABLE_H
#define HLOBUF_SUPPORT_NAMETABLE_H

#include "Support/Ids.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace hlobuf {

/// Gives each distinct name a dense id. Names are not copied: the texts that
/// they are in must outlive the table.
class NameTable {
public:
  /// The id of \p Name, new if it was not seen before.
  NameId intern(llvm::StringRef Name) {
    LookedUp Key(*this, Name);
    Slot New = {Key.Hash, NameId(Names.size())};
    auto [Entry, IsNew] = Slots.insert_as(New, Key);
    if (IsNew)
      Names.push_back(Name);
    return Entry->Id;
  }

  /// Call after the last intern(): frees what finds names. The next find(), and
  /// few dumps need one, makes it again.
  void finish() { Slots = {}; }

  /// The id of \p Name, invalid if it was never interned.
  NameId find(llvm::StringRef Name) const {
    if (Slots.empty())
      for (size_t I = 0; I != Names.size(); ++I)
        Slots.insert({LookedUp(*this, Names[I]).Hash, NameId(I)});
    auto Entry = Slots.find_as(LookedUp(*this, Name));
    return Entry == Slots.end() ? NameId() : Entry->Id;
  }

  llvm::StringRef operator[](NameId Id) const { return Names[Id.index()]; }

  /// Number of distinct names; ids are below.
  size_t size() const { return Names.size(); }

private:
  struct Slot {
    uint32_t Hash = 0;
    NameId Id;
  };
  /// A name that is looked up.
  struct LookedUp {
    LookedUp(const NameTable &In, llvm::StringRef Name)
        : In(In), Name(Name),
          Hash(llvm::DenseMapInfo<llvm::StringRef>::getHashValue(Name)) {}
    const NameTable &In;
    llvm::StringRef Name;
    uint32_t Hash;
  };
  struct SlotInfo {
    static Slot getEmptyKey() { return {}; }
    static Slot getTombstoneKey() { return {1, NameId()}; }
    static unsigned getHashValue(Slot Of) { return Of.Hash; }
    static unsigned getHashValue(const LookedUp &Of) { return Of.Hash; }
    static bool isEqual(Slot X, Slot Y) {
      return X.Hash == Y.Hash && X.Id == Y.Id;
    }
    static bool isEqual(const LookedUp &X, Slot Y) {
      return X.Hash == Y.Hash && Y.Id && X.In[Y.Id] == X.Name;
    }
  };

  std::vector<llvm::StringRef> Names;
  mutable llvm::DenseSet<Slot, SlotInfo> Slots;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_NAMETABLE_H
