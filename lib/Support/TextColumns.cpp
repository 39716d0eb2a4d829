// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/TextColumns.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

std::vector<std::string> hlobuf::wrapped(StringRef Text, size_t Width) {
  std::vector<std::string> Lines;
  for (StringRef Word : llvm::split(Text, ' '))
    if (!Lines.empty() && columns(Lines.back()) + 1 + columns(Word) <= Width)
      Lines.back() += (" " + Word).str();
    else
      Lines.push_back(Word.str());
  return Lines;
}

std::string hlobuf::clipped(StringRef Text, size_t Columns) {
  bool Fits = Text.size() <= Columns || Columns < 3;
  return Fits ? Text.str() : (Text.take_front(Columns - 3) + "...").str();
}

/// \p Text, or `...` and its end.
static std::string clippedFront(StringRef Text, size_t Columns) {
  bool Fits = Text.size() <= Columns || Columns < 3;
  return Fits ? Text.str() : ("..." + Text.take_back(Columns - 3)).str();
}

std::string hlobuf::sideBySide(StringRef Left, StringRef Right,
                               size_t Columns) {
  if (Right.empty())
    return clipped(Left, Columns);
  size_t Half = Columns / 2;
  if (Left.size() + 2 + Right.size() <= Columns)
    return (Left + "  " + Right).str();
  size_t ForRight =
      std::max(Half, Columns - std::min(Columns, Left.size() + 2));
  std::string End = clippedFront(Right, ForRight);
  size_t ForLeft = Columns - std::min(Columns, End.size() + 2);
  return clipped(Left, ForLeft) + "  " + End;
}
