//===- Facts/ReportDiff.h - Two reports, line by line -----------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_FACTS_REPORTDIFF_H
#define HLOBUF_FACTS_REPORTDIFF_H

#include "Facts/Report.h"

namespace hlobuf {

/// A row of values as a report shows it.
struct ReportRow {
  llvm::StringRef Cumulative, Percent, Size, At, Count, Shapes;
  uint64_t Offset = 0;
};

/// Reads `  1.0KiB( 50%);   512B;   0;   1; f32[128]`; false if it is not one.
bool parseReportRow(llvm::StringRef Line, ReportRow &Row);

/// The number in `allocation N: size ..`; nothing if \p Text does not begin so.
std::optional<uint32_t> parseAllocationHeading(llvm::StringRef Text);

/// The header in a row of the table of all allocations; empty if \p Line is no
/// such row.
llvm::StringRef headerInRow(llvm::StringRef Line);

/// The lines of \p Text without their newlines; comment lines are not part.
std::vector<llvm::StringRef> reportLines(llvm::StringRef Text);

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

/// Where two lines differ first: the word or number of each; empty at the end.
std::pair<llvm::StringRef, llvm::StringRef>
firstDifference(llvm::StringRef There, llvm::StringRef Wanted);

} // namespace hlobuf

#endif // HLOBUF_FACTS_REPORTDIFF_H
