//===- Facts/ReportDiff.h - Two reports, line by line -----------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_FACTS_REPORTDIFF_H
#define HLOBUF_FACTS_REPORTDIFF_H

#include "Facts/Report.h"
#include "Facts/ReportLines.h"

namespace hlobuf {

/// How a report departs from the expected one at some line.
enum class ReportFault : uint8_t {
  /// One line says something else.
  Edited,
  /// Two lines are exchanged.
  Exchanged,
  /// An expected line is missing before this one.
  Missing,
  /// A line is there that is not expected.
  Extra,
  /// More than one line differs.
  Unclear,
};

/// A difference of two reports, by their lines from 0.
struct ReportDifference {
  ReportFault Fault;
  /// The line of the expected report; one past the last at its end.
  size_t Expected;
  /// The line that is there; one past the last at the end.
  size_t There;
};

/// Where \p There departs from \p Expected, at most once in each table. Goes on
/// after a difference at the next line, or table, that agrees, in linear time.
std::vector<ReportDifference> diffReport(const Dump &D, const Report &Expected,
                                         llvm::ArrayRef<llvm::StringRef> There);

/// How a report relates to the allocations.
struct ReportVerdict {
  /// Totals and most rows disagree: it is that of another module.
  bool Foreign = false;
  /// It agrees as far as it goes, and is not whole.
  bool EndsEarly = false;
};

/// Judges the report \p Text of \p D, whose allocations are complete.
ReportVerdict judgeReport(const Dump &D, llvm::StringRef Text);

/// Where two lines differ first: the word or number of each; empty at the end.
std::pair<llvm::StringRef, llvm::StringRef>
firstDifference(llvm::StringRef There, llvm::StringRef Wanted);

} // namespace hlobuf

#endif // HLOBUF_FACTS_REPORTDIFF_H
