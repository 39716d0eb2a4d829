// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/StackFrames.h"
#include "HLO/InstructionParser.h"
#include "HLO/SourceFiles.h"
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

/// The number after `Key=` in \p Line; 0 if there is none.
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

/// DenseMap reserves the two largest keys, also for questions.
static bool isKey(uint32_t Number) { return Number < ~uint32_t(1); }

void StackFrames::readLine(StringRef Table, StringRef Line) {
  uint32_t Number = 0;
  if (Line.consumeInteger(10, Number) || !isKey(Number))
    return;
  Line = Line.ltrim(' ');
  bool Quoted = Line.consume_front("\"") && Line.consume_back("\"");
  if (Quoted && Table == "FileNames") {
    Files[Number] = printable(unescape(Line));
  } else if (Quoted && Table == "FunctionNames") {
    Functions[Number] = printable(unescape(Line));
  } else if (Table == "FileLocations") {
    Locations[Number] = {field(Line, "{file_name_id"),
                         field(Line, " function_name_id"),
                         field(Line, " line")};
  } else if (Table == "StackFrames") {
    Frames[Number] = {field(Line, "{file_location_id"),
                      field(Line, " parent_frame_id")};
  }
}

const std::string *StackFrames::fileOf(uint32_t FrameId) const {
  if (!isKey(FrameId))
    return nullptr;
  auto At = Frames.find(FrameId);
  if (At == Frames.end() || !isKey(At->second.Location))
    return nullptr;
  auto Where = Locations.find(At->second.Location);
  if (Where == Locations.end() || !isKey(Where->second.File))
    return nullptr;
  auto File = Files.find(Where->second.File);
  return File == Files.end() ? nullptr : &File->second;
}

std::string StackFrames::spell(uint32_t FrameId) const {
  const std::string *File = fileOf(FrameId);
  if (!File)
    return "";
  uint32_t Location = Frames.find(FrameId)->second.Location;
  return *File + ":" + std::to_string(Locations.find(Location)->second.Line);
}

uint32_t StackFrames::callerOf(uint32_t FrameId) const {
  // XLA prints the number of the parent plus one: the outermost frame, 1, has
  // the parent 1 (2025-12-02 on).
  uint32_t Extra = Frames.lookup(1).Parent;
  uint32_t Parent = Frames.find(FrameId)->second.Parent;
  Parent = Parent > Extra ? Parent - Extra : 0;
  // Parents come first, which also ends circles.
  return Parent < FrameId ? Parent : 0;
}

/// Only JAX writes these tables, with whole paths.
static FileOwner jaxOwnerOf(const std::string &File) {
  return ownerOf(File, "jit(");
}

std::string StackFrames::sourceLine(uint32_t FrameId) const {
  uint32_t Installed = 0;
  for (uint32_t Id = FrameId; Id != 0; Id = callerOf(Id)) {
    const std::string *File = fileOf(Id);
    if (!File)
      break;
    FileOwner Owner = jaxOwnerOf(*File);
    if (Owner == FileOwner::User)
      return spell(Id);
    if (Owner == FileOwner::Package && Installed == 0)
      Installed = Id;
  }
  return Installed == 0 ? "" : spell(Installed);
}

std::vector<SourceFrame> StackFrames::userFrames(uint32_t FrameId) const {
  std::vector<SourceFrame> Found;
  for (uint32_t Id = FrameId; Id != 0; Id = callerOf(Id)) {
    const std::string *File = fileOf(Id);
    if (!File)
      break;
    if (jaxOwnerOf(*File) != FileOwner::User)
      continue;
    const Location &At =
        Locations.find(Frames.find(Id)->second.Location)->second;
    Found.push_back({*File, At.Line,
                     isKey(At.Function) ? Functions.lookup(At.Function) : ""});
  }
  return Found;
}
