// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction that goes on.

#ifndef HLOBUF_HLO_PENDINGTEXT_H
#define HLOBUF_HLO_PENDINGTEXT_H

#include "Support/LLVM.h"

namespace hlobuf {

/// The text of an instruction that is read line by line, because strings and
/// brackets may hold raw newlines. Each byte is looked at once, however often
/// is asked: a string that is never closed takes in the rest of a file.
class PendingText {
public:
  PendingText() = default;
  explicit PendingText(StringRef Text) : Text(Text) {}

  StringRef text() const { return Text; }
  bool empty() const { return Text.empty(); }

  /// Goes on up to the end of \p Line, which is after it in the same text.
  void extend(StringRef Line) {
    Text = StringRef(Text.data(), size_t(Line.end() - Text.data()));
  }

  /// True if every bracket and string is closed.
  bool isBalanced();

  /// True if the text ends inside a string. Nearly all texts have an even
  /// number of quotes and are settled by that.
  bool isInsideString();

private:
  StringRef Text;
  /// Bytes whose quotes are counted, and bytes that were followed.
  size_t Counted = 0;
  size_t Followed = 0;
  size_t Quotes = 0;
  size_t Depth = 0;
  bool Quoted = false;
  bool Escaped = false;
  /// A bracket was closed that is not open.
  bool Broken = false;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_PENDINGTEXT_H
