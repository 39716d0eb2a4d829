// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a section.

#ifndef HLOBUF_SUPPORT_LINECURSOR_H
#define HLOBUF_SUPPORT_LINECURSOR_H

#include "Support/LLVM.h"
#include <cstring>

namespace hlobuf {

/// Walks over the lines of a text. Comment lines, which begin with `//`, are
/// passed over, so that a dump can carry its own RUN and CHECK lines.
class LineCursor {
public:
  explicit LineCursor(StringRef Text) : Text(Text) { load(0); }

  bool atEnd() const { return Ended; }

  /// The current line without its newline; empty at the end.
  StringRef line() const { return Line; }

  /// Offset of the current line in the text.
  uint32_t offset() const {
    return static_cast<uint32_t>(Line.data() - Text.data());
  }

  /// Some line up to the current one begins with `//`, comment or not.
  bool passedComment() const { return Commented; }

  void advance() { load(Next); }

  /// Steps to the next line even if that is a comment: inside a text with raw
  /// newlines `//` means nothing.
  void advanceRaw() { loadRaw(Next); }

  /// The line after the current one, comments passed over; empty at the end.
  StringRef peek() const {
    LineCursor Ahead = *this;
    Ahead.advance();
    return Ahead.line();
  }

  StringRef text() const { return Text; }

private:
  bool isComment() const {
    return Line.size() > 1 && Line[0] == '/' && Line[1] == '/';
  }

  void load(size_t Begin) {
    do {
      loadRaw(Begin);
      Begin = Next;
    } while (!Ended && isComment());
  }

  void loadRaw(size_t Begin) {
    if (Begin >= Text.size()) {
      Ended = true;
      Line = Text.take_back(0);
      return;
    }
    const char *Data = Text.data() + Begin;
    const void *End = std::memchr(Data, '\n', Text.size() - Begin);
    size_t Size = End ? size_t(static_cast<const char *>(End) - Data)
                      : Text.size() - Begin;
    Line = StringRef(Data, Size);
    Next = Begin + Size + 1;
    Commented |= isComment();
  }

  StringRef Text;
  StringRef Line;
  size_t Next = 0;
  bool Ended = false;
  bool Commented = false;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_LINECURSOR_H
