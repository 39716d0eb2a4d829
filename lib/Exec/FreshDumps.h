// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program dumped.

#ifndef HLOBUF_EXEC_FRESHDUMPS_H
#define HLOBUF_EXEC_FRESHDUMPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem/UniqueID.h"
#include <string>
#include <vector>

namespace hlobuf {

/// What a program wrote into a folder that may hold older dumps.
struct FreshDumps {
  /// Files with a buffer assignment, in order of names.
  std::vector<std::string> Assignments;
  /// Executables that the program saved with our help, in order of names.
  std::vector<std::string> Executables;
  /// Buffer assignments that were there before and are as they were.
  unsigned Stale = 0;
  /// Modules that were dumped optimized only. jax dumps a module so when it
  /// takes its executable from the compilation cache (jaxlib, 2026).
  unsigned Cached = 0;
  /// Names of these modules: `jit_f`.
  std::vector<std::string> CachedNames;
  /// Modules that were dumped before their optimization, and have no buffer
  /// assignment.
  unsigned Unfinished = 0;
  /// Everything in the folder is new, and may be verified.
  bool Whole = false;

  /// Adds what is in another folder.
  void add(const FreshDumps &Other);
};

/// The files of a folder, and of those below it, at one moment.
class FolderSnapshot {
public:
  /// A folder that does not exist has no files.
  explicit FolderSnapshot(llvm::StringRef Folder);

  /// What was written into the folder since.
  FreshDumps changes() const;

  /// True if the file \p Path was there, and is as it was.
  bool isUnchanged(llvm::StringRef Path) const;

private:
  struct Stamp {
    uint64_t Size = 0;
    llvm::sys::TimePoint<> Modified;
    llvm::sys::fs::UniqueID Id;

    bool operator==(const Stamp &) const = default;
  };
  static bool stampFile(llvm::StringRef Path, Stamp &Result);
  static llvm::StringMap<Stamp> stampFiles(llvm::StringRef Folder);

  std::string Folder;
  llvm::StringMap<Stamp> Files;
};

/// The executables that processes below `--exec` saved in \p Folder and below
/// (python/hlobuf/_exec_hook.py), in order of names.
std::vector<std::string> findExecutables(llvm::StringRef Folder);

/// The entries of jax's compilation cache in \p Folder that hold modules of
/// these names, `jit_f-HASH-cache` (jax, 2024 on), in the order of names. jax
/// does not say which of several it took.
std::vector<std::string> cacheEntries(llvm::StringRef Folder,
                                      llvm::ArrayRef<std::string> Modules);

} // namespace hlobuf

#endif // HLOBUF_EXEC_FRESHDUMPS_H
