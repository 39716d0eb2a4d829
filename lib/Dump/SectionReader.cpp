// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/SectionReader.h"
#include "Dump/CutOff.h"

using namespace hlobuf;

void SectionReader::damaged(StringRef Where, Section S, std::string Message) {
  D.States[static_cast<size_t>(S)] = SectionState::Damaged;
  // What a compiler gets wrong is not in the grammar of its module.
  if (!isAtCut(Where, S))
    Syntax.add(Where, std::move(Message),
               S == Section::Module ? UnreadableCheck : SyntaxCheck);
}

/// True, and noted, if what is wrong at \p Where is that the file ends there.
bool SectionReader::isAtCut(StringRef Where, Section S) {
  for (size_t Role = 0; Role != NumFileRoles; ++Role) {
    StringRef Text = D.Files[Role].Text;
    if (!Text.data() || D.Files[Role].FromProto ||
        Where.data() < Text.begin() || Where.data() > Text.end())
      continue;
    StringRef Whole = wholeLines(Text);
    // Before live ranges the next section begins with empty lines.
    // In a combined file empty lines come before the next section.
    bool Combined = Role == size_t(FileRole::Assignment) && S <= Section::Texts;
    if (Combined && !LastLine)
      LastLine = Whole.rtrim('\n').end() + 1;
    const char *End = Combined ? LastLine : Whole.end();
    bool RawLines = Where.end() + 1 >= Whole.end() && Where.contains('\n');
    if (Where.data() < std::min(End, Whole.end()) && !RawLines)
      return false;
    D.noteCut(static_cast<FileRole>(Role), S);
    return true;
  }
  return false;
}

void SectionReader::expectEmptyLines(LineCursor &In, unsigned Count,
                                     Section S) {
  for (unsigned I = 0; I != Count; ++I) {
    if (!In.line().empty() || In.atEnd())
      return damaged(In.line(), S, "expected an empty line");
    In.advance();
  }
  while (!In.atEnd() && In.line().empty()) {
    damaged(In.line(), S, "unexpected empty line");
    In.advance();
  }
}

void SectionReader::expectEnd(LineCursor &In, Section S) {
  if (In.atEnd())
    return;
  damaged(In.line(), S, "unexpected text after the end of the section");
}
