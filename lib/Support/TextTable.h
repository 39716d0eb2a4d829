// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interned texts.

#ifndef HLOBUF_SUPPORT_TEXTTABLE_H
#define HLOBUF_SUPPORT_TEXTTABLE_H

#include "Support/HashSlots.h"
#include "Support/Ids.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <vector>

namespace hlobuf {

/// An interned text.
using TextId = Id<struct TextTag>;

/// Gives each distinct text a dense id. The table keeps copies of the texts: to
/// compare with a file would bring back pages of it that were released.
class TextTable {
public:
  /// The id of \p Text, new if it was not seen before.
  TextId intern(llvm::StringRef Text);
  /// The same, of a text whose hashText() is \p Hash.
  TextId intern(llvm::StringRef Text, uint32_t Hash);

  /// The id of \p Text, invalid if it was never interned.
  TextId find(llvm::StringRef Text) const;

  /// The text; it stays where it is as long as the table lives.
  llvm::StringRef operator[](TextId Id) const;

  /// Forgets all texts, in time that follows from their number: one table can
  /// serve many small computations. Memory that a large one took is given back.
  void clear();

  /// Number of distinct texts; ids are below.
  size_t size() const { return Places.size(); }

private:
  const char *entry(uint32_t Place) const;
  uint32_t append(llvm::StringRef Text);
  /// Tells whether the entry at a place is that of \p Text.
  auto isSame(llvm::StringRef Text) const;

  /// The entries one after another, in blocks that all have one size; an entry
  /// is an id and a size, 32 bits each, and the bytes of the text. A place
  /// counts units of 4 bytes over all blocks, so that a slot leads to the text
  /// without a detour.
  std::vector<std::unique_ptr<char[]>> Blocks;
  /// Where each stretch of 256 KiB begins; an entry may need several.
  std::vector<char *> Stretches;
  /// First free place, in the last stretch or past it.
  uint32_t End = 0;
  /// The place of each text, by id.
  std::vector<uint32_t> Places;
  /// Places of entries.
  HashSlots Slots;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTTABLE_H
