// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/DumpFolder.h"
#include "Driver/Config.h"
#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

DumpFolder::~DumpFolder() {
  if (isTemporary() && !Keep && fs::remove_directories(Target.Folder))
    return; // the system clears its temporary folder
}

std::error_code DumpFolder::create(const VerifyOptions &Options,
                                   std::string &Flags) {
  Keep = Options.KeepDumps;
  Target.Override = !Options.DumpsFolder.empty();
  // The program may work elsewhere.
  Target.Folder =
      Target.Override ? absolutePath(Options.DumpsFolder) : dumpFolder(Flags);
  if (Target.Folder.empty()) {
    llvm::ErrorOr<std::string> Folder = makePrivateFolder("hlobuf");
    if (!Folder)
      return Folder.getError();
    Target.Folder = *Folder;
    Target.Temporary = true;
  }
  Target.Absolute = absolutePath(Target.Folder);
  if (std::error_code Error = fs::create_directories(Target.Absolute))
    return Error;
  Target.Extra = "--xla_dump_hlo_as_text";
  std::string Foreign;
  Flags = flagsOfProcess(Flags, Target, Target.Absolute, Foreign);
  return {};
}

/// The entries of \p Folder by name; nothing if there is anything but files.
static std::optional<std::vector<std::string>> filesIn(StringRef Folder) {
  std::vector<std::string> Names;
  std::error_code Error;
  for (fs::directory_iterator Entry(Folder, Error, false), End;
       Entry != End && !Error; Entry.increment(Error)) {
    if (Entry->type() != fs::file_type::regular_file)
      return std::nullopt;
    Names.push_back(llvm::sys::path::filename(Entry->path()).str());
  }
  if (Error)
    return std::nullopt;
  return Names;
}

/// Moves \p Names up; where another program writes a file of that name at this
/// moment, ours stays.
static void moveUp(const std::string &From, const std::string &To,
                   const std::vector<std::string> &Names,
                   const FolderSnapshot &Before) {
  auto IsTaken = [&](const std::string &Name) {
    std::string Path = To + "/" + Name;
    return fs::exists(Path) && !Before.isUnchanged(Path);
  };
  if (llvm::any_of(Names, IsTaken))
    return;
  std::error_code Error;
  for (const std::string &Name : Names) {
    std::string Path = fmt::format("{}/{}", To, Name);
    std::string Old = fmt::format("{}/{}", From, Name);
    if (Before.isUnchanged(Path))
      Error = fs::remove(Path);
    if (!fs::create_hard_link(Old, Path))
      Error = fs::remove(Old);
  }
  Error = fs::remove(From);
}

void DumpFolder::tidy(const FolderSnapshot &Before,
                      const WatchReport &Report) const {
  if (Report.Running)
    return;
  std::vector<std::string> Used;
  for (const std::string &Folder : Report.ProcessFolders)
    if (fs::remove(Folder)) // it is not empty
      Used.push_back(Folder);
  if (Used.size() != 1)
    return;
  if (auto Names = filesIn(Used.front()))
    moveUp(Used.front(), Target.Folder, *Names, Before);
}
