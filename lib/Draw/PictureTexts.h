// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a picture.

#ifndef HLOBUF_DRAW_PICTURETEXTS_H
#define HLOBUF_DRAW_PICTURETEXTS_H

#include "Support/NameTable.h"
#include "Support/TextTable.h"

namespace hlobuf {

/// A text of one picture; equal texts have one number.
using PictureText = Id<struct PictureTextTag>;

/// Keeps each text of a picture once. What is a name of the dump, as most texts
/// are, is not copied.
class PictureTexts {
public:
  PictureTexts() = default;
  /// \p DumpNames must live as long as this, and not grow.
  explicit PictureTexts(const NameTable &DumpNames) : DumpNames(&DumpNames) {}

  /// The number of \p Text, new if it was not seen before.
  PictureText intern(llvm::StringRef Text) {
    PictureText Known = find(Text);
    return Known ? Known : ofOthers(Others.intern(Text));
  }
  /// The same, faster for what is likely a name of the dump.
  PictureText internName(llvm::StringRef Text) {
    PictureText Known = nameOf(Text);
    return Known ? Known : ofOthers(Others.intern(Text));
  }
  /// The number of \p Text, invalid if it has none.
  PictureText find(llvm::StringRef Text) const {
    TextId Id = Others.find(Text);
    return Id ? ofOthers(Id) : nameOf(Text);
  }
  /// The number of a name of the dump.
  static PictureText of(NameId Name) { return PictureText(Name.index()); }

  /// The text, in \p Room if it has to be made up.
  llvm::StringRef spell(PictureText Text,
                        llvm::SmallVectorImpl<char> &Room) const {
    return Text.index() < DumpNames->size()
               ? (*DumpNames)[NameId(Text.index())].spell(Room)
               : Others[TextId(Text.index() - DumpNames->size())];
  }
  /// Numbers are below.
  size_t size() const { return DumpNames->size() + Others.size(); }

private:
  PictureText nameOf(llvm::StringRef Text) const {
    NameId Name = DumpNames->find(Text);
    return Name ? of(Name) : PictureText();
  }
  PictureText ofOthers(TextId Id) const {
    return PictureText(DumpNames->size() + Id.index());
  }

  const NameTable *DumpNames = nullptr;
  TextTable Others;
};

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTURETEXTS_H
