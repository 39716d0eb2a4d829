// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program dumped.

#ifndef HLOBUF_EXEC_FRESHDUMPS_H
#define HLOBUF_EXEC_FRESHDUMPS_H

#include "Support/LLVM.h"
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace hlobuf {

/// A moment: files that were there before are older than new ones.
class StartMark {
public:
  /// Now, by the clock of \p Folder, which is made to go on.
  explicit StartMark(StringRef Folder);

  /// True if the file \p Path was there, and is as it was.
  bool isOlder(StringRef Path) const;

private:
  std::pair<std::time_t, long> Time;
};

/// What a program wrote into folders that may hold older dumps.
struct FreshDumps {
  /// Files with a buffer assignment, and executables that the program saved
  /// with our help, in order of names.
  std::vector<std::string> Files;
  /// Such files that were there before and are as they were.
  unsigned Stale = 0;
  /// Names of modules that were dumped optimized only: `jit_f`. jax dumps a
  /// module so when it takes its executable from the compilation cache (jaxlib,
  /// 2026).
  std::vector<std::string> Cached;
  /// Modules that were dumped before their optimization, and have no buffer
  /// assignment.
  unsigned Unfinished = 0;

  /// Adds what was written into \p Folder since \p Start.
  void add(StringRef Folder, const StartMark &Start);
};

/// The entries of jax's compilation cache in \p Folder that hold modules of
/// these names, `jit_f-HASH-cache` (jax, 2024 on), in the order of names. jax
/// does not say which of several it took.
std::vector<std::string> cacheEntries(StringRef Folder,
                                      ArrayRef<std::string> Modules);

} // namespace hlobuf

#endif // HLOBUF_EXEC_FRESHDUMPS_H
