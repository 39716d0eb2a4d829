// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/StackFrames.h"
#include "HLO/InstructionParser.h"
#include "Support/Printable.h"

using namespace hlobuf;

/// Folders of frameworks below site-packages or dist-packages.
static constexpr StringRef Frameworks[] = {
    "jax/", "jaxlib/", "tensorflow/", "torch/", "torch_xla/", "torchax/"};

/// Files that TensorFlow states as bare names (2.12 to 2.22):
/// tensorflow/python/framework/ops.py creates every operation.
static constexpr StringRef BareFiles[] = {"ops.py"};

FileOwner hlobuf::ownerOf(StringRef File, StringRef OpName) {
  static constexpr StringRef Installed = "-packages/";
  size_t Offset = File.rfind(Installed);
  if (Offset == StringRef::npos)
    return llvm::is_contained(BareFiles, File) && !OpName.contains("jit(")
               ? FileOwner::Framework
               : FileOwner::User;
  StringRef Below = File.drop_front(Offset + Installed.size());
  return llvm::any_of(Frameworks,
                      [&](StringRef Name) { return Below.starts_with(Name); })
             ? FileOwner::Framework
             : FileOwner::Package;
}

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
  size_t Offset = Line.find(Key);
  uint32_t Number = 0;
  if (Offset == StringRef::npos)
    return 0;
  StringRef Rest = Line.drop_front(Offset + Key.size());
  if (!Rest.consume_front("=") || Rest.consumeInteger(10, Number))
    return 0;
  return Number;
}

void StackFrames::readLine(StringRef Table, StringRef Line) {
  uint32_t Number = 0;
  if (Line.consumeInteger(10, Number))
    return;
  Line = Line.ltrim(' ');
  bool Quoted = Line.consume_front("\"") && Line.consume_back("\"");
  if (Quoted && Table == "FileNames") {
    Files[Number] = printable(unescape(Line));
  } else if (Quoted && Table == "FunctionNames") {
    Functions[Number] = printable(unescape(Line));
  } else if (Table == "FileLocations") {
    Locations[Number] = {field(Line, "{file_name_id"),
                         field(Line, " function_name_id"), field(Line, " line"),
                         field(Line, " column")};
  } else if (Table == "StackFrames") {
    Frames[Number] = {field(Line, "{file_location_id"),
                      field(Line, " parent_frame_id")};
  }
}

const StackFrames::Location *StackFrames::locationOf(uint32_t FrameId) const {
  auto Known = Frames.find(FrameId);
  auto Entry = Known == Frames.end() ? Locations.end()
                                     : Locations.find(Known->second.Location);
  return Entry == Locations.end() || !Files.count(Entry->second.File)
             ? nullptr
             : &Entry->second;
}

std::string StackFrames::spell(uint32_t FrameId) const {
  const Location *Loc = locationOf(FrameId);
  return Loc ? Files.at(Loc->File) + ":" + std::to_string(Loc->Line) : "";
}

uint32_t StackFrames::callerOf(uint32_t FrameId) const {
  // XLA prints the number of the parent plus one: the outermost frame, 1, has
  // the parent 1 (2025-12-02 on).
  auto First = Frames.find(1);
  uint32_t Extra = First == Frames.end() ? 0 : First->second.Parent;
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
  for (uint32_t Id = FrameId; const Location *Loc = locationOf(Id);
       Id = callerOf(Id)) {
    FileOwner Owner = jaxOwnerOf(Files.at(Loc->File));
    if (Owner == FileOwner::User)
      return spell(Id);
    if (Owner == FileOwner::Package && Installed == 0)
      Installed = Id;
  }
  return spell(Installed);
}

std::vector<SourceFrame> StackFrames::calls(uint32_t FrameId) const {
  std::vector<SourceFrame> Calls;
  for (uint32_t Id = FrameId; const Location *Loc = locationOf(Id);
       Id = callerOf(Id)) {
    const std::string &File = Files.at(Loc->File);
    auto Function = Functions.find(Loc->Function);
    Calls.push_back({File, Loc->Line, Loc->Column,
                     Function == Functions.end() ? "" : Function->second,
                     jaxOwnerOf(File)});
  }
  return Calls;
}
