// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/FreshDumps.h"
#include "Dump/FileNames.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

void FreshDumps::add(const FreshDumps &Other) {
  llvm::append_range(Assignments, Other.Assignments);
  llvm::append_range(CachedNames, Other.CachedNames);
  Stale += Other.Stale;
  Cached += Other.Cached;
  Unfinished += Other.Unfinished;
}

bool FolderSnapshot::stampFile(StringRef Path, Stamp &Result) {
  fs::file_status Status;
  if (fs::status(Path, Status) || !fs::is_regular_file(Status))
    return false;
  Result = {Status.getSize(), Status.getLastModificationTime(),
            Status.getUniqueID()};
  return true;
}

bool FolderSnapshot::isUnchanged(StringRef Path) const {
  Stamp Current;
  auto Before = Files.find(Path);
  return Before != Files.end() && stampFile(Path, Current) &&
         Before->second == Current;
}

llvm::StringMap<FolderSnapshot::Stamp>
FolderSnapshot::stampFiles(StringRef Folder) {
  llvm::StringMap<Stamp> Files;
  Stamp Current;
  for (const std::string &Path : pathsBelow(Folder))
    if (stampFile(Path, Current))
      Files[Path] = Current;
  return Files;
}

FolderSnapshot::FolderSnapshot(StringRef Folder)
    : Folder(Folder.str()), Files(stampFiles(Folder)) {}

namespace {
/// What was dumped of one module.
struct DumpedModule {
  bool BeforeOptimizations = false;
  bool AfterOptimizations = false;
  bool Assignment = false;
};
} // namespace

/// `FOLDER/module_0001.jit_f` of the files of that module; empty for others.
static StringRef moduleOf(StringRef Path) {
  StringRef Name = llvm::sys::path::filename(Path);
  if (!Name.starts_with("module_"))
    return "";
  auto [Number, Rest] = Name.split('.');
  return StringRef(Path.data(), static_cast<size_t>(
                                    Rest.split('.').first.end() - Path.data()));
}

FreshDumps FolderSnapshot::changes() const {
  FreshDumps Fresh;
  std::map<StringRef, DumpedModule> Modules;
  llvm::StringMap<Stamp> After = stampFiles(Folder);
  for (const auto &File : After) {
    StringRef Path = File.first();
    auto Before = Files.find(Path);
    bool Changed = Before == Files.end() || !(Before->second == File.second);
    bool Assignment = isAssignmentName(Path);
    if (Assignment && Changed)
      Fresh.Assignments.push_back(Path.str());
    Fresh.Stale += Assignment && !Changed;
    if (StringRef Key = moduleOf(Path); Changed && !Key.empty()) {
      DumpedModule &M = Modules[Key];
      M.Assignment |= Assignment;
      M.BeforeOptimizations |= Path.ends_with("before_optimizations.txt");
      M.AfterOptimizations |= Path.ends_with("after_optimizations.txt");
    }
  }
  for (const auto &[Name, M] : Modules) {
    Fresh.Unfinished += M.BeforeOptimizations && !M.Assignment;
    if (!M.AfterOptimizations || M.BeforeOptimizations || M.Assignment)
      continue;
    ++Fresh.Cached;
    Fresh.CachedNames.push_back(
        llvm::sys::path::filename(Name).split('.').second.str());
  }
  llvm::sort(Fresh.Assignments);
  return Fresh;
}

std::vector<std::string> hlobuf::findExecutables(StringRef Folder) {
  std::vector<std::string> Paths = pathsBelow(Folder);
  llvm::erase_if(Paths,
                 [](StringRef Path) { return !Path.ends_with(".pjrt"); });
  return Paths;
}

std::vector<std::string>
hlobuf::cacheEntries(StringRef Folder, llvm::ArrayRef<std::string> Modules) {
  std::vector<std::string> Entries = pathsIn(Folder);
  llvm::erase_if(Entries, [&](StringRef Path) {
    StringRef Name = llvm::sys::path::filename(Path);
    return !Name.consume_back("-cache") ||
           !llvm::is_contained(Modules, Name.rsplit('-').first);
  });
  return Entries;
}
