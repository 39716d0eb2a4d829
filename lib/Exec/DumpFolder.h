// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a command dumps.

#ifndef HLOBUF_EXEC_DUMPFOLDER_H
#define HLOBUF_EXEC_DUMPFOLDER_H

#include "Driver/Options.h"
#include "Exec/FreshDumps.h"
#include "Exec/PythonProcesses.h"

namespace hlobuf {

/// The folder that \p Flags, which XLA_FLAGS holds, make XLA dump into; empty
/// if there is none.
std::string dumpFolder(StringRef Flags);

/// The folder that a command dumps into. One of ours goes away unless it is
/// kept.
class DumpFolder {
public:
  DumpFolder() = default;
  ~DumpFolder();
  DumpFolder(const DumpFolder &) = delete;
  DumpFolder &operator=(const DumpFolder &) = delete;

  /// Makes the folder, and sets the variables that make XLA dump into it.
  std::error_code create(const VerifyOptions &Options);

  /// Puts away what \p Report has: folders of processes that dumped nothing go
  /// away, and where one process dumped, its files come up to where they were
  /// without us. Files that were there before \p Start are written over, others
  /// are not.
  void tidy(const StartMark &Start, const ProcessReport &Report) const;

  bool isTemporary() const { return Temporary; }
  const std::string &path() const { return Path; }

  bool Keep = false;

private:
  /// Absolute.
  std::string Path;
  bool Temporary = false;
};

} // namespace hlobuf

#endif // HLOBUF_EXEC_DUMPFOLDER_H
