// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/PendingText.h"

using namespace hlobuf;

/// The quote that ends the string at \p Open; null where it has escapes or does
/// not end before \p End.
static const char *plainStringEnd(const char *Open, const char *End) {
  StringRef Rest(Open + 1, static_cast<size_t>(End - Open - 1));
  size_t Close = Rest.find('"');
  if (Close == StringRef::npos || Rest.take_front(Close).contains('\\'))
    return nullptr;
  return Rest.data() + Close;
}

bool PendingText::isBalanced() {
  const char *Next = Text.begin() + Followed;
  const char *End = Text.end();
  for (; Next != End && !Broken; ++Next) {
    char C = *Next;
    if (Quoted) {
      Quoted = Escaped || C != '"';
      Escaped = !Escaped && C == '\\';
    } else if (C == '"') {
      const char *Close = plainStringEnd(Next, End);
      Quoted = Close == nullptr;
      Next = Close ? Close : Next;
    } else if (C == '(' || C == '{' || C == '[') {
      ++Depth;
    } else if (C == ')' || C == '}' || C == ']') {
      Broken = Depth == 0;
      Depth -= !Broken;
    }
  }
  Followed = static_cast<size_t>(Next - Text.begin());
  return !Broken && !Quoted && Depth == 0;
}

bool PendingText::isInsideString() {
  Quotes += Text.drop_front(Counted).count('"');
  Counted = Text.size();
  return Quotes % 2 != 0 && !isBalanced();
}
