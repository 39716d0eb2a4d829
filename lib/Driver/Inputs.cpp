//===- Driver/Inputs.cpp --------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Inputs.h"
#include "Dump/Files.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "Support/LineCursor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {
/// Collects dumps argument by argument.
class InputFinder {
public:
  explicit InputFinder(InputList &List) : List(List) {}

  void addArgument(const std::string &Path);

private:
  void addFolder(const std::string &Path);
  void addFile(const std::string &Path);
  void addFragment(const std::string &Path, StringRef What);
  void addFrames(const std::shared_ptr<FrameFile> &Frames);
  void addDump(std::string Path, std::shared_ptr<const FrameFile> Frames = {});
  void trouble(const std::string &Path, std::string Text) {
    List.Troubles.push_back({Path, std::move(Text)});
  }

  InputList &List;
  llvm::StringSet<> Seen;
  /// The folder that is searched, empty for a file.
  StringRef Folder;
};
} // namespace

void InputFinder::addDump(std::string Path,
                          std::shared_ptr<const FrameFile> Frames) {
  // Frames of two files may have the same names.
  std::string Key = Frames ? Frames->Path + '\n' + Path : Path;
  if (!Seen.insert(Key).second)
    return;
  StringRef Relative = Path;
  if (!Relative.consume_front(Folder) || Folder.empty())
    Relative = llvm::sys::path::filename(Path);
  Input &In = List.Dumps.emplace_back();
  In.Relative = Relative.ltrim('/').str();
  In.Path = std::move(Path);
  In.Frames = std::move(Frames);
}

InputList hlobuf::findInputs(llvm::ArrayRef<std::string> Arguments) {
  InputList List;
  InputFinder Finder(List);
  for (const std::string &Argument : Arguments)
    Finder.addArgument(Argument);
  return List;
}

void InputFinder::addArgument(const std::string &Path) {
  bool IsFolder = Path != "-" && fs::is_directory(Path);
  Folder = IsFolder ? StringRef(Path) : StringRef();
  if (IsFolder)
    addFolder(Path);
  else
    addFile(Path);
}

static TextKind kindOfFile(const std::string &Path) {
  Sources Owner;
  llvm::Expected<StringRef> Text = Owner.open(Path);
  if (Text)
    return classify(*Text);
  llvm::consumeError(Text.takeError());
  return TextKind::Other;
}

void InputFinder::addFolder(const std::string &Path) {
  std::vector<std::string> Files;
  std::error_code Error;
  // Links into the tree above would make the walk endless.
  for (fs::recursive_directory_iterator At(Path, Error, false), End;
       At != End && !Error; At.increment(Error))
    if (isAssignmentName(At->path()) || isFreeName(At->path()))
      if (At->type() != fs::file_type::directory_file)
        Files.push_back(At->path());
  if (Error)
    trouble(Path,
            fmt::format("cannot read folder '{}': {}", Path, Error.message()));
  llvm::sort(Files);
  llvm::erase_if(Files, [](const std::string &File) {
    return !isAssignmentName(File) && kindOfFile(File) != TextKind::Assignment;
  });
  for (std::string &File : Files)
    addDump(std::move(File));
  if (Files.empty())
    trouble(Path,
            fmt::format("no buffer assignment in folder '{}': it needs files "
                        "named *-buffer-assignment.txt",
                        Path));
}

/// Takes a framed text apart.
static void readFrames(FrameFile &F) {
  StringRef Name;
  const char *Begin = nullptr;
  for (LineCursor In(F.Text); !In.atEnd(); In.advanceRaw()) {
    StringRef Line = In.line();
    if (!Begin && Line.consume_front("*** Begin ") &&
        Line.consume_back(" ***")) {
      Name = Line;
      Begin = In.line().end() + 1;
    } else if (Begin && Line.consume_front("*** End ") &&
               Line.consume_back(" ***") && Line == Name) {
      // XLA puts a newline between the content and this line.
      StringRef Content(Begin, static_cast<size_t>(In.line().data() - Begin));
      Content.consume_back("\n");
      if (F.Files.try_emplace(Name, Content).second)
        F.Order.push_back(Name.str());
      Begin = nullptr;
    }
  }
}

void InputFinder::addFrames(const std::shared_ptr<FrameFile> &Frames) {
  readFrames(*Frames);
  size_t Before = List.Dumps.size();
  for (const std::string &Name : Frames->Order)
    if (classify(Frames->Files.lookup(Name)) == TextKind::Assignment)
      addDump(Name, Frames);
  if (List.Dumps.size() == Before)
    trouble(Frames->Path,
            fmt::format("'{}' holds no buffer assignment between its "
                        "'*** Begin ***' lines",
                        Frames->Path));
}

void InputFinder::addFragment(const std::string &Path, StringRef What) {
  std::string Assignment = assignmentOf(
      Path, [](const std::string &Name) { return fs::exists(Name); });
  if (!Assignment.empty())
    addDump(std::move(Assignment));
  else
    trouble(Path,
            fmt::format("'{}' is {}, which says nothing without the buffer "
                        "assignment that belongs to it",
                        Path, What));
}

void InputFinder::addFile(const std::string &Path) {
  auto Frames = std::make_shared<FrameFile>();
  Frames->Path = Path == "-" ? "<stdin>" : Path;
  llvm::Expected<StringRef> Text = Frames->Owner.open(Path);
  if (!Text) {
    trouble(Path, fmt::format("cannot read '{}': {}", Path,
                              llvm::toString(Text.takeError())));
    return;
  }
  Frames->Text = *Text;
  switch (classify(*Text)) {
  case TextKind::Assignment:
    // Standard input can be read only once: keep what was read.
    if (Path == "-") {
      Frames->Files.try_emplace("<stdin>", *Text);
      addDump("<stdin>", std::move(Frames));
    } else {
      addDump(Path);
    }
    return;
  case TextKind::Frames:
    addFrames(Frames);
    return;
  case TextKind::Values:
    addFragment(Path, "a values file");
    return;
  case TextKind::LiveRange:
    addFragment(Path, "a live range file");
    return;
  case TextKind::OldReport:
  case TextKind::NewReport:
    addFragment(Path, "a memory usage report");
    return;
  case TextKind::Module:
    addFragment(Path, "an HLO module");
    return;
  case TextKind::Other:
    trouble(Path, fmt::format("'{}' is no buffer assignment: {}", Path,
                              refusal(*Text)));
    return;
  }
}
