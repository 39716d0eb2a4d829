// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of memory usage reports.

#ifndef HLOBUF_FACTS_REPORTLINES_H
#define HLOBUF_FACTS_REPORTLINES_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

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

} // namespace hlobuf

#endif // HLOBUF_FACTS_REPORTLINES_H
