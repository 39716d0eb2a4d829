// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file: the parts in Draw/Page, and the picture as JSON.

#include "Draw/Picture.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

static StringRef pagePart(StringRef Name) {
#define HLOBUF_PAGE_PART(ID, TEXT)                                             \
  if (Name == (ID))                                                            \
    return TEXT;
#include "PageParts.inc"
#undef HLOBUF_PAGE_PART
  return "";
}

/// In the order in which one uses another.
static constexpr StringRef Scripts[] = {"data.js",  "groups.js", "scene.js",
                                        "axes.js",  "paint.js",  "curve.js",
                                        "lists.js", "main.js"};

/// Writes \p P as JSON, where `<` is only inside strings, so that no string
/// ends the element that it is in.
static void writeScript(const Picture &P, raw_ostream &OS) {
  std::string Text;
  llvm::raw_string_ostream Json(Text);
  llvm::json::OStream J(Json);
  writePicture(P, J);
  llvm::interleave(llvm::split(Json.str(), '<'), OS, "\\u003c");
}

void hlobuf::writeHtml(const Picture &P, raw_ostream &OS) {
  auto FillIn = [&](StringRef Key) {
    if (Key == "TITLE") {
      llvm::printHTMLEscaped(printable(P.Title), OS);
    } else if (Key == "STYLE") {
      OS << pagePart("page.css");
    } else if (Key == "SCRIPT") {
      for (StringRef Name : Scripts)
        OS << pagePart(Name);
    } else if (Key == "DATA") {
      writeScript(P, OS);
    }
  };
  // Texts are split at @KEY@: every second piece is a key.
  SmallVector<StringRef, 12> Pieces;
  pagePart("page.html").split(Pieces, '@');
  for (size_t I = 0; I != Pieces.size(); ++I)
    if (I % 2 == 0)
      OS << Pieces[I];
    else
      FillIn(Pieces[I]);
}
