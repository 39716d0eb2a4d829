// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file: the parts in Draw/Page, and the picture as JSON.

#include "Draw/PictureWriters.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

static StringRef pagePart(StringRef Name) {
#define HLOBUF_PAGE_PART(ID, TEXT)                                             \
  if (Name == (ID))                                                            \
    return TEXT;
#include "PageParts.inc"
#undef HLOBUF_PAGE_PART
  return "";
}

/// In the order in which one uses another.
static constexpr StringRef Scripts[] = {"data.js",  "groups.js", "changes.js",
                                        "scene.js", "axes.js",   "paint.js",
                                        "curve.js", "lists.js",  "main.js"};

/// Writes JSON, where `<` is only inside strings, so that no string ends the
/// element that it is in.
static void writeScript(llvm::function_ref<void(llvm::json::OStream &)> Write,
                        llvm::raw_ostream &OS) {
  std::string Text;
  llvm::raw_string_ostream Json(Text);
  llvm::json::OStream J(Json);
  Write(J);
  llvm::interleave(llvm::split(Json.str(), '<'), OS, "\\u003c");
}

static void writeData(const DrawnDump &Drawn, llvm::raw_ostream &OS) {
  writeScript(
      [&](llvm::json::OStream &J) {
        writePicture(Drawn.P, Drawn.DumpFacts, J);
      },
      OS);
}

/// What the page needs in addition to the pictures, as JSON.
static void writeSettings(const PageContents &Page, llvm::raw_ostream &OS) {
  auto Write = [&](llvm::json::OStream &J) {
    J.object([&] {
      J.attribute("link", llvm::json::fixUTF8(Page.SourceLink));
      J.attributeArray("matches", [&] {
        for (int32_t Block : Page.Matches)
          J.value(Block);
      });
    });
  };
  writeScript(Write, OS);
}

static void fillIn(StringRef Key, const PageContents &Page,
                   llvm::raw_ostream &OS) {
  if (Key == "TITLE") {
    llvm::printHTMLEscaped(printable(Page.After.P.Title), OS);
  } else if (Key == "STYLE") {
    OS << pagePart("page.css");
  } else if (Key == "SCRIPT") {
    for (StringRef Name : Scripts)
      OS << pagePart(Name);
  } else if (Key == "SETTINGS") {
    writeSettings(Page, OS);
  } else if (Key == "DATA") {
    writeData(Page.After, OS);
  } else if (Key == "BEFORE" && Page.Before) {
    writeData(*Page.Before, OS);
  }
}

void hlobuf::writeHtml(const PageContents &Page, llvm::raw_ostream &OS) {
  // Texts are split at @KEY@: every second piece is a key.
  llvm::SmallVector<StringRef, 12> Pieces;
  pagePart("page.html").split(Pieces, '@');
  for (size_t I = 0; I != Pieces.size(); ++I)
    if (I % 2 == 0)
      OS << Pieces[I];
    else
      fillIn(Pieces[I], Page, OS);
}
