// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory usage report, regenerated.

#ifndef HLOBUF_FACTS_REPORT_H
#define HLOBUF_FACTS_REPORT_H

#include "Dump/Model.h"
#include <optional>

namespace hlobuf {

/// How a memory usage report is laid out.
enum class ReportForm : uint8_t {
  /// All allocations, then the values of each (2024-10-04 to 2026-03-10).
  ByAllocation,
  /// The values of each allocation, by memory space (2026-03-10 on).
  BySpace,
};

/// One line of a regenerated report.
struct ReportLine {
  /// Where its text begins.
  uint32_t Offset = 0;
  /// The allocation that the line is about; invalid for what is about all, or
  /// about a memory space.
  AllocationId Owner;
  /// Of a row of an allocation's values: the offset at which they begin.
  std::optional<uint64_t> Row = std::nullopt;
};

/// The form that \p Text has, by its tables.
ReportForm reportForm(StringRef Text);

/// The report that XLA would write about a dump.
class Report {
public:
  /// \p Like is the report to compare with. Where \p TiesAnyOrder is set, rows
  /// of equal size, and the shapes inside a row, follow its order as far as
  /// the dump allows (a hash order until 2025-10-27).
  Report(const Dump &D, StringRef Like, bool TiesAnyOrder);

  ReportForm form() const { return Form; }
  ArrayRef<ReportLine> lines() const { return Lines; }
  /// The text of a line without its newline.
  StringRef text(size_t Line) const {
    size_t End =
        Line + 1 == Lines.size() ? Text.size() : Lines[Line + 1].Offset;
    return StringRef(Text).slice(Lines[Line].Offset, End - 1);
  }
  const std::string &text() const { return Text; }
  /// Allocations in the order of the report: by size descending, then by
  /// index; in the newer form by color first.
  ArrayRef<AllocationId> order() const { return Order; }

private:
  friend class ReportWriter;
  ReportForm Form;
  std::string Text;
  std::vector<ReportLine> Lines;
  std::vector<AllocationId> Order;
};

/// How a report relates to the allocations.
struct ReportVerdict {
  /// Totals and most rows disagree: it is that of another module.
  bool Foreign = false;
  /// It agrees as far as it goes, and is not whole.
  bool EndsEarly = false;
  /// It is what the allocations imply, byte for byte.
  bool IsExact = false;
};

/// The lines of \p Text without their newlines; comment lines are not part.
std::vector<StringRef> reportLines(StringRef Text);

/// What of a row does not depend on other rows; empty if \p Line is not a row.
StringRef withoutSums(StringRef Line);

/// Judges the report \p Text of \p D, whose allocations are complete.
ReportVerdict judgeReport(const Dump &D, StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_FACTS_REPORT_H
