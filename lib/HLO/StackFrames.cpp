//===- HLO/StackFrames.cpp ------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HLO/StackFrames.h"
#include "HLO/InstructionText.h"
#include "Support/Printable.h"

using namespace hlobuf;
using llvm::StringRef;

StackFrames::StackFrames(StringRef Module) {
  StringRef Table;
  StringRef Rest = Module;
  Rest = Rest.split('\n').second; // the header
  while (!Rest.empty()) {
    auto [Line, After] = Rest.split('\n');
    Rest = After;
    if (Line.empty())
      continue;
    if (llvm::isDigit(Line.front()))
      readLine(Table, Line);
    else if (Line == "FileNames" || Line == "FunctionNames" ||
             Line == "FileLocations" || Line == "StackFrames")
      Table = Line;
    else
      return; // the first computation
  }
}

/// The number behind `Key=` in \p Line; 0 if there is none.
static uint32_t field(StringRef Line, StringRef Key) {
  size_t At = Line.find(Key);
  uint32_t Number = 0;
  if (At == StringRef::npos)
    return 0;
  StringRef Rest = Line.drop_front(At + Key.size());
  if (!Rest.consume_front("=") || Rest.consumeInteger(10, Number))
    return 0;
  return Number;
}

void StackFrames::readLine(StringRef Table, StringRef Line) {
  uint32_t Number = 0;
  // DenseMap reserves the two largest keys.
  if (Line.consumeInteger(10, Number) || Number >= ~uint32_t(1))
    return;
  Line = Line.ltrim(' ');
  if (Table == "FileNames" && Line.consume_front("\"")) {
    Line.consume_back("\"");
    Files[Number] = printable(unescape(Line));
  } else if (Table == "FileLocations") {
    Locations[Number] = {field(Line, "{file_name_id"), field(Line, " line")};
  } else if (Table == "StackFrames") {
    Frames[Number] = field(Line, "{file_location_id");
  }
}

std::string StackFrames::sourceLine(uint32_t FrameId) const {
  auto Frame = Frames.find(FrameId);
  if (Frame == Frames.end())
    return "";
  auto Where = Locations.find(Frame->second);
  if (Where == Locations.end())
    return "";
  auto File = Files.find(Where->second.File);
  if (File == Files.end())
    return "";
  return File->second + ":" + std::to_string(Where->second.Line);
}
