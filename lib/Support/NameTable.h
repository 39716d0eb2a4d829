// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interned names.

#ifndef HLOBUF_SUPPORT_NAMETABLE_H
#define HLOBUF_SUPPORT_NAMETABLE_H

#include "Support/Lazy.h"
#include "Support/TextTable.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include <memory>
#include <string>

namespace hlobuf {

/// A name as its stem and the last digits, which most names differ in:
/// `fusion.` and 12. It lives as long as its table or text.
class NameText {
public:
  NameText() = default;
  /// Takes \p Name apart.
  explicit NameText(llvm::StringRef Name);
  NameText(llvm::StringRef Stem, uint32_t Tail) : Stem(Stem), Tail(Tail) {}

  llvm::StringRef stem() const { return Stem; }
  /// Up to four digits, the first one in the lowest byte, and zeros.
  uint32_t tail() const { return Tail; }
  size_t size() const { return Stem.size() + (llvm::bit_width(Tail) + 7) / 8; }
  /// The whole name.
  std::string str() const;
  /// The same, in \p Room if it has to be made up.
  llvm::StringRef spell(llvm::SmallVectorImpl<char> &Room) const;
  bool operator==(llvm::StringRef Name) const;
  /// As texts are ordered, byte by byte.
  bool operator<(const NameText &Other) const;

private:
  llvm::StringRef Stem;
  uint32_t Tail = 0;
};

/// Gives each distinct name a dense id. A large program has names by the
/// hundred thousand, and a hundred stems.
class NameTable {
public:
  /// The id of \p Name, new if it was not seen before.
  NameId intern(llvm::StringRef Name);

  /// Interns \p Count names, as \p NameOf(I, room) gives them, and calls
  /// \p Take(I, id) for each: several at a time, so that one need not wait for
  /// the memory of another.
  void internAll(
      size_t Count,
      llvm::function_ref<llvm::StringRef(size_t, llvm::SmallVectorImpl<char> &)>
          NameOf,
      llvm::function_ref<void(size_t, NameId)> Take);

  /// The id of \p Name, invalid if it was never interned.
  NameId find(llvm::StringRef Name) const;
  /// The same, of a name whose hashText() is \p Hash.
  NameId find(llvm::StringRef Name, uint32_t Hash) const;

  /// The name, which lives as long as the table.
  NameText operator[](NameId Id) const {
    Key Own = Keys[Id.index()];
    return NameText(StemTexts[Own.Stem.index()], Own.Tail);
  }

  /// No name is added any more. Gives back what find() needs, which the first
  /// call of it, from whichever thread, makes anew.
  void finish();

  /// Number of distinct names; ids are below.
  size_t size() const { return Keys.size(); }

private:
  struct Key {
    TextId Stem;
    uint32_t Tail = 0;
  };

  NameId intern(llvm::StringRef Name, uint32_t Hash);
  void append(llvm::StringRef Name);
  /// Tells whether an id is that of \p Name.
  auto isSame(llvm::StringRef Name) const;
  HashSlots makeSlots() const;

  TextTable Stems;
  /// The texts in Stems, by id.
  std::vector<llvm::StringRef> StemTexts;
  /// By id.
  std::vector<Key> Keys;
  /// Ids, by the hashes of whole names; after finish() in Remade.
  HashSlots Slots;
  std::unique_ptr<Lazy<HashSlots>> Remade;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_NAMETABLE_H
