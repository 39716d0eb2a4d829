// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/PendingText.h"

using namespace hlobuf;

bool PendingText::isBalanced() {
  for (; Followed < Text.size() && !Broken; ++Followed) {
    char C = Text[Followed];
    if (Quoted) {
      Quoted = Escaped || C != '"';
      Escaped = !Escaped && C == '\\';
    } else if (C == '"') {
      Quoted = true;
    } else if (C == '(' || C == '{' || C == '[') {
      ++Depth;
    } else if (C == ')' || C == '}' || C == ']') {
      Broken = Depth == 0;
      Depth -= !Broken;
    }
  }
  return !Broken && !Quoted && Depth == 0;
}

bool PendingText::isInsideString() {
  Quotes += Text.drop_front(Counted).count('"');
  Counted = Text.size();
  return Quotes % 2 != 0 && !isBalanced();
}
