// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/FrameFile.h"
#include "Dump/CutOff.h"
#include "Support/Format.h"
#include "Support/LineCursor.h"

using namespace hlobuf;

/// True if \p Line, which has no newline, is the begin of `*** Begin `.
static bool beginsFrame(StringRef Line) {
  return !Line.empty() && !Line.ends_with(" ***") &&
         (Line.starts_with("*** Begin ") ||
          StringRef("*** Begin ").starts_with(Line));
}

std::vector<std::string> FrameFile::readFrames() {
  std::vector<std::string> Damage;
  StringRef Name;
  const char *Begin = nullptr;
  for (LineCursor In(Text); !In.atEnd(); In.advanceRaw()) {
    StringRef Line = In.line();
    if (Line.consume_front("*** Begin ") && Line.consume_back(" ***")) {
      if (Begin)
        Damage.push_back(fmt::format(
            "the frame '{}' does not end before '{}' begins", Name, Line));
      Name = Line;
      Begin = In.line().end() + 1;
    } else if (Begin && Line.consume_front("*** End ") &&
               Line.consume_back(" ***") && Line == Name) {
      // XLA puts a newline between the content and this line.
      StringRef Content(Begin, static_cast<size_t>(In.line().data() - Begin));
      Content.consume_back("\n");
      if (Files.insert({Name, Content}).first->second != Content)
        Damage.push_back(fmt::format("two frames are named '{}'", Name));
      Begin = nullptr;
    }
  }
  if (Begin)
    Damage.push_back(fmt::format(
        "the text ends inside the frame '{}': it was cut off", Name));
  else if (beginsFrame(Text.drop_front(wholeLines(Text).size())))
    Damage.push_back(
        "the text ends inside the first line of a frame: it was cut off");
  return Damage;
}
