// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interned names.

#ifndef HLOBUF_SUPPORT_NAMETABLE_H
#define HLOBUF_SUPPORT_NAMETABLE_H

#include "Support/Ids.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <vector>

namespace hlobuf {

/// Gives each distinct name a dense id. The table keeps copies of the names: to
/// compare with a text would bring back pages of it that were released.
class NameTable {
public:
  /// The id of \p Name, new if it was not seen before.
  NameId intern(llvm::StringRef Name);

  /// The id of \p Name, invalid if it was never interned.
  NameId find(llvm::StringRef Name) const;

  /// The name; it stays where it is as long as the table lives.
  llvm::StringRef operator[](NameId Id) const;

  /// Interns all names of \p From, in their order, and empties it; the result
  /// gives the id here for each id there.
  std::vector<NameId> absorb(NameTable &From);

  /// Forgets all names, in time that follows from their number: one table can
  /// serve many small texts. Memory that a large text took is given back.
  void clear();

  /// Number of distinct names; ids are below.
  size_t size() const { return Places.size(); }

private:
  struct Slot {
    uint32_t Hash = 0;
    /// Place of the entry plus one, 0 is free.
    uint32_t Place = 0;
  };

  void grow();
  const char *entry(uint32_t Place) const;
  uint32_t append(llvm::StringRef Name);
  /// The slot that holds \p Name, or the free one where it belongs.
  size_t slotOf(llvm::StringRef Name, uint32_t Hash) const;

  /// The entries one after another, in blocks that all have one size; an entry
  /// is an id and a size, 32 bits each, and the bytes of the name. A place
  /// counts units of 4 bytes over all blocks, so that a slot leads to the name
  /// without a detour.
  std::vector<std::unique_ptr<char[]>> Blocks;
  /// Where each stretch of 256 KiB begins; an entry may need several.
  std::vector<char *> Stretches;
  /// First free place, in the last stretch or past it.
  uint32_t End = 0;
  /// The place of each name, by id.
  std::vector<uint32_t> Places;
  /// Open addressing, power of two.
  std::vector<Slot> Slots;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_NAMETABLE_H
