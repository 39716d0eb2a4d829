// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a memory usage report.

#ifndef HLOBUF_FACTS_REPORTGROUPS_H
#define HLOBUF_FACTS_REPORTGROUPS_H

#include "Dump/Model.h"
#include <unordered_map>

namespace hlobuf {

/// The values of an allocation that begin at one offset: a row of the report.
struct ReportGroup {
  uint64_t Offset = 0;
  /// The largest one of a member.
  uint64_t Size = 0;
  /// The largest printed id.
  uint32_t Id = 0;
  /// Members, as positions in ReportGroups::ByOffset; half-open.
  uint32_t Begin = 0, End = 0;

  uint32_t count() const { return End - Begin; }
};

/// A row of a given report.
struct SeenRow {
  /// Position in its table, from 0.
  uint32_t Number = 0;
  llvm::StringRef Shapes;
};
/// Rows of one allocation in a given report, by offset.
using SeenRows = std::unordered_map<uint64_t, SeenRow>;

/// The rows of one allocation, by size descending, then by largest id.
struct ReportGroups {
  explicit ReportGroups(llvm::ArrayRef<Value> Values);

  /// Gives every row of a run of equal sizes the place that \p Seen has for
  /// it; rows that are not there fill the places that remain.
  void followTies(const SeenRows &Seen);

  /// The shapes of a row with their counts, by count, then by text; in the
  /// order of \p Like if that has the same items.
  std::string shapes(const ShapeTable &Shapes, const ReportGroup &Group,
                     llvm::StringRef Like) const;

  llvm::ArrayRef<Value> Values;
  /// Numbers of the values, sorted by offset.
  std::vector<uint32_t> ByOffset;
  std::vector<ReportGroup> Rows;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_REPORTGROUPS_H
