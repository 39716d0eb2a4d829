// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture as a file.

#ifndef HLOBUF_DRAW_PICTUREWRITERS_H
#define HLOBUF_DRAW_PICTUREWRITERS_H

#include "Draw/Picture.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace hlobuf {

/// A picture and the dump that it was made of.
struct DrawnDump {
  const Picture &P;
  const Facts &DumpFacts;
};

/// Writes \p P, which was made of \p DumpFacts, as the one JSON object that the
/// page draws.
void writePicture(const Picture &P, const Facts &DumpFacts,
                  llvm::json::OStream &J);

/// What a page draws.
struct PageContents {
  DrawnDump After;
  /// Null where one program is drawn.
  const DrawnDump *Before = nullptr;
  /// By block of After: the block of Before that it is; -1 for a new one.
  std::vector<int32_t> Matches = {};
  /// The address of a source line, with `{path}` and `{line}`; empty for that
  /// of an editor that the reader chooses.
  std::string SourceLink = {};
};

/// Writes a page of HTML that draws \p Page and needs no other file.
void writeHtml(const PageContents &Page, llvm::raw_ostream &OS);

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTUREWRITERS_H
