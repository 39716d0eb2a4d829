// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a command dumps.

#ifndef HLOBUF_EXEC_DUMPFOLDER_H
#define HLOBUF_EXEC_DUMPFOLDER_H

#include "Driver/Options.h"
#include "Exec/FreshDumps.h"
#include "Exec/PythonProcesses.h"
#include "Support/PrivateFolder.h"

namespace hlobuf {

/// The folder that \p Flags, which XLA_FLAGS holds, make XLA dump into; empty
/// if there is none.
std::string dumpFolder(StringRef Flags);

/// The folder that a command dumps into. One of ours goes away unless it is
/// kept.
class DumpFolder {
public:
  /// Makes the folder, and sets the variables that make XLA dump into it.
  Error create(const VerifyOptions &Options);

  /// Puts away what \p Report has: folders of processes that dumped nothing go
  /// away, and where one process dumped, its files come up to where they were
  /// without us. Files that were there before \p Start are written over, others
  /// are not.
  void tidy(const StartMark &Start, const ProcessReport &Report) const;

  const std::string &path() const { return Path; }

  /// Where nobody named a folder.
  PrivateFolder Own;

private:
  /// Absolute.
  std::string Path;
};

} // namespace hlobuf

#endif // HLOBUF_EXEC_DUMPFOLDER_H
