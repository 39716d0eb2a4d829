// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a command dumps.

#ifndef HLOBUF_EXEC_DUMPFOLDER_H
#define HLOBUF_EXEC_DUMPFOLDER_H

#include "Driver/Options.h"
#include "Exec/FreshDumps.h"
#include "Exec/ProcessWatch.h"
#include "Exec/XlaFlags.h"

namespace hlobuf {

/// The folder that a command dumps into. One of ours goes away unless it is
/// kept.
class DumpFolder {
public:
  DumpFolder() = default;
  ~DumpFolder();
  DumpFolder(const DumpFolder &) = delete;
  DumpFolder &operator=(const DumpFolder &) = delete;

  /// Makes the folder; \p Flags become those that name it.
  std::error_code create(const VerifyOptions &Options, std::string &Flags);

  /// Puts away what \p Report has: folders of processes that dumped nothing go
  /// away, and where one process dumped, its files come up to where they were
  /// without us. Files that were there \p Before are written over, others are
  /// not.
  void tidy(const FolderSnapshot &Before, const WatchReport &Report) const;

  bool isTemporary() const { return Target.Temporary; }
  const std::string &path() const { return Target.Folder; }

  DumpTarget Target;
  bool Keep = false;
};

} // namespace hlobuf

#endif // HLOBUF_EXEC_DUMPFOLDER_H
