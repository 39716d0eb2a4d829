// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is outside of brackets, strings and comments.

#ifndef HLOBUF_HLO_TOPLEVEL_H
#define HLOBUF_HLO_TOPLEVEL_H

#include "Support/Scanner.h"

namespace hlobuf {

/// The number of bytes of the string literal at the front of \p Text, with
/// both quotes; the whole text if it is not closed.
inline size_t stringSize(StringRef Text) {
  size_t Close = Text.find('"', 1);
  // Few strings have escapes.
  if (!Text.take_front(Close).contains('\\'))
    return Close == StringRef::npos ? Text.size() : Close + 1;
  for (size_t I = 1; I < Text.size(); ++I) {
    if (Text[I] == '\\')
      ++I;
    else if (Text[I] == '"')
      return I + 1;
  }
  return Text.size();
}

/// Scans from the front of \p Text until \p Stop says so of a comma or a space
/// at bracket depth 0, outside strings and comments, or until a bracket closes
/// that was not opened here. Returns the number of bytes passed; npos if the
/// text ends first.
template <typename StopFn> size_t scanTopLevel(StringRef Text, StopFn Stop) {
  static constexpr ByteSet Structural("()[]{}\"/, ");
  unsigned Depth = 0;
  for (size_t I = 0;; ++I) {
    while (I < Text.size() && !Structural.has(Text[I]))
      ++I;
    if (I >= Text.size())
      return StringRef::npos;
    if (Depth == 0 && Stop(I))
      return I;
    switch (Text[I]) {
    case '(':
    case '{':
    case '[':
      ++Depth;
      break;
    case ')':
    case '}':
    case ']':
      if (Depth == 0)
        return I;
      --Depth;
      break;
    case '"':
      I += stringSize(Text.drop_front(I)) - 1;
      break;
    case '/':
      if (Text.drop_front(I).starts_with("/*")) {
        size_t Close = Text.find("*/", I + 2);
        if (Close == StringRef::npos)
          return StringRef::npos;
        I = Close + 1;
      }
      break;
    default:
      break;
    }
  }
}

/// The number of bytes up to the bracket that closes what is not opened in
/// \p Text; npos if there is none.
inline size_t closingBracket(StringRef Text) {
  return scanTopLevel(Text, [](size_t) { return false; });
}

} // namespace hlobuf

#endif // HLOBUF_HLO_TOPLEVEL_H
