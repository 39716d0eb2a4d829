// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/FreshDumps.h"
#include "Dump/FileNames.h"
#include "Input/ProtoInputs.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <limits>
#include <map>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

using ChangeTime = std::pair<std::time_t, long>;

/// Of what is in a file, or of its name; copies do not keep it.
static ChangeTime changeTime(const std::string &Path) {
  struct stat Status = {};
  if (::stat(Path.c_str(), &Status) != 0)
    return {};
  return {Status.st_ctim.tv_sec, Status.st_ctim.tv_nsec};
}

StartMark::StartMark(StringRef Folder)
    : Time(std::numeric_limits<std::time_t>::max(), 0) {
  int File = -1;
  llvm::SmallString<256> Path;
  if (fs::createUniqueFile(Folder + "/hlobuf-start-%%%%%%%%", File, Path))
    return; // nothing can be dumped there
  std::string Name(Path);
  Time = changeTime(Name);
  // File systems count in steps: files of the next step are new. Who does not
  // count at all loses nothing by an end.
  for (unsigned Try = 0; changeTime(Name) == Time && Try != 3000; ++Try) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::futimens(File, nullptr);
  }
  ::close(File);
  ::unlink(Name.c_str());
}

bool StartMark::isOlder(StringRef Path) const {
  return fs::exists(Path) && changeTime(Path.str()) <= Time;
}

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

void FreshDumps::add(StringRef Folder, const StartMark &Start) {
  std::vector<std::string> Paths = pathsBelow(Folder);
  std::map<StringRef, DumpedModule> Modules;
  for (const std::string &Path : Paths) {
    bool Program = isAssignmentName(Path) || isExecutableName(Path);
    if (!fs::is_regular_file(Path))
      continue;
    if (Start.isOlder(Path)) {
      Stale += Program;
      continue;
    }
    if (Program)
      Files.push_back(Path);
    if (StringRef Key = moduleOf(Path); !Key.empty()) {
      DumpedModule &M = Modules[Key];
      M.Assignment |= Program;
      M.BeforeOptimizations |=
          StringRef(Path).ends_with("before_optimizations.txt");
      M.AfterOptimizations |=
          StringRef(Path).ends_with("after_optimizations.txt");
    }
  }
  for (const auto &[Name, M] : Modules) {
    Unfinished += M.BeforeOptimizations && !M.Assignment;
    if (M.AfterOptimizations && !M.BeforeOptimizations && !M.Assignment)
      Cached.push_back(llvm::sys::path::filename(Name).split('.').second.str());
  }
}

std::vector<std::string> hlobuf::cacheEntries(StringRef Folder,
                                              ArrayRef<std::string> Modules) {
  std::vector<std::string> Entries = pathsIn(Folder);
  llvm::erase_if(Entries, [&](StringRef Path) {
    StringRef Name = llvm::sys::path::filename(Path);
    return !Name.consume_back("-cache") ||
           !llvm::is_contained(Modules, Name.rsplit('-').first);
  });
  return Entries;
}
