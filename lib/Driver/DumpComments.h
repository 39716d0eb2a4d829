// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comments in dumps.

#ifndef HLOBUF_DRIVER_DUMPCOMMENTS_H
#define HLOBUF_DRIVER_DUMPCOMMENTS_H

#include "Driver/Verify.h"
#include "Results/Result.h"
#include "llvm/ADT/StringExtras.h"

namespace hlobuf {

/// Silences the findings of \p R on lines below a comment
///
///     // hlobuf-suppress check: reason
///
/// of \p L's files. Comments that are malformed or suppress nothing, though
/// their check ran, become complaints.
void applySuppressionComments(DumpResult &R, const LoadedDump &L,
                              const CheckSelection &Selection);

/// Compares the findings of \p R with comments in \p L's files, in MLIR's
/// manner:
///
///     // expected-error @+1 {{part of a message}}
///     // expected-warning-re @below {{a {{regular expression}} in it}}
///
/// What is left is what differs, as errors of the check `verify-diagnostics`.
/// Notes may be expected, and need not be.
void matchExpectations(DumpResult &R, const LoadedDump &L);

/// Writes into \p L's files the comments that matchExpectations() would miss,
/// each in front of its line, and takes out those that nothing meets. Other
/// lines stay as they are. Files that are links, compressed, or not as they
/// were read are not written: \p Errors gets a line for each. The number of
/// comments that changed.
unsigned updateExpectations(const DumpResult &R, const LoadedDump &L,
                            std::string &Errors);

// What both need.

/// Calls \p Visit(place, line) for each line of \p Text, which is one of
/// \p Texts or a part of one, that begins with `//`.
template <typename VisitFn>
void forEachComment(const Sources &Texts, llvm::StringRef Text, VisitFn Visit) {
  for (llvm::StringRef Line : llvm::split(Text, '\n'))
    if (Line.starts_with("//"))
      Visit(Texts.place(Line), Line);
}

/// The first line at or after \p Number that is not a comment, given the
/// numbers of all comment lines in ascending order.
inline uint32_t behindComments(llvm::ArrayRef<uint32_t> Comments,
                               uint32_t Number) {
  const uint32_t *At = llvm::lower_bound(Comments, Number);
  while (At != Comments.end() && *At == Number) {
    ++At;
    ++Number;
  }
  return Number;
}

} // namespace hlobuf

#endif // HLOBUF_DRIVER_DUMPCOMMENTS_H
