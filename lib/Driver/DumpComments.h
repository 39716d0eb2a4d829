// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comments in dumps.

#ifndef HLOBUF_DRIVER_DUMPCOMMENTS_H
#define HLOBUF_DRIVER_DUMPCOMMENTS_H

#include "Driver/Verify.h"
#include "Results/Result.h"

namespace hlobuf {

/// Compares the findings of \p R with comments in \p L's files, in MLIR's
/// manner:
///
///     // expected-error @+1 {{part of a message}}
///     // expected-warning-re @below {{a {{regular expression}} in it}}
///
/// What is left is what differs, as errors of the check `verify-diagnostics`.
/// Notes may be expected, and need not be.
void matchExpectations(DumpResult &R, const LoadedDump &L);

/// A line of a dump that begins with `//`.
struct DumpComment {
  std::string File;
  uint32_t Line = 0;
  /// The nearest lines before and after it that do not begin so.
  uint32_t Above = 0;
  uint32_t Below = 0;
  llvm::StringRef Text;
};

/// The comments of \p Text, which is one of \p Texts or a part of one.
std::vector<DumpComment> commentsOf(const Sources &Texts, llvm::StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_DUMPCOMMENTS_H
