// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect as a bug report.

#ifndef HLOBUF_REDUCE_BUGREPORT_H
#define HLOBUF_REDUCE_BUGREPORT_H

#include "Reduce/EditModule.h"
#include "Reduce/Interest.h"

namespace hlobuf {

/// What a report is about, and where it goes.
struct BugReportOptions {
  CompileOptions Compile;
  /// Where the report goes: a folder that makeReportFolder() was asked for.
  std::string Folder;
  /// Instructions of the module that was reduced.
  unsigned OriginalSize = 0;
};

/// Makes \p Folder where it is not there. Fails for one that has anything in
/// it, or that cannot be written to.
Error makeReportFolder(StringRef Folder);

/// Compiles \p M once more and writes a folder: the program as HLO, as
/// StableHLO and as a Python program that compiles it, what XLA dumps with the
/// module after each pass, the verdict, and `report.md`, a text for XLA's
/// issues. Fails where a file cannot be written or the module is not compiled;
/// then the folder stays empty.
Error writeBugReport(const EditModule &M, const BugReportOptions &Options);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_BUGREPORT_H
