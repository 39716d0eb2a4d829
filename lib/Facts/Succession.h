//===- Facts/Succession.h - Values that follow each other -------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_FACTS_SUCCESSION_H
#define HLOBUF_FACTS_SUCCESSION_H

#include "Dump/Model.h"

namespace hlobuf {

/// The live range of a value is cut where the next value of its buffer begins,
/// and the last value of a buffer gets the latest end of all of them
/// (hlo_live_range.cc NormalizeAliasedBuffers): how long a value would live by
/// itself shows in the whole row only. Buffers are not printed, but the values
/// of one are at the same offset of one allocation. Computed for allocations
/// of arguments and outputs; in a temp, a row may as well be unrelated values.
class Succession {
public:
  /// A value of an argument or output, with its live range in closed steps.
  struct Member {
    ValueId V;
    int32_t Start = 0;
    int32_t End = 0;
  };

  /// \p Members in any order. A range that reaches the end ends at \p Steps. A
  /// range is cut \p Gap steps before the next value: one before 2022-06-24,
  /// none since then.
  Succession(const Dump &D, std::vector<Member> Members, int32_t Steps,
             int32_t Gap);

  /// \p V lives to the end of the program, or a value that follows it does.
  bool reachesEnd(ValueId V) const { return ReachesEnd[V.index()]; }
  /// \p V lives from step 0 on, or a value that it follows does.
  bool reachesStart(ValueId V) const { return ReachesStart[V.index()]; }
  /// The same number for values that follow each other; 0 if \p V is not a
  /// member.
  uint32_t row(ValueId V) const { return Rows[V.index()]; }

private:
  void addPlace(llvm::ArrayRef<Member> Same);

  int32_t Steps;
  int32_t Gap;
  uint32_t NumRows = 0;
  std::vector<bool> ReachesEnd, ReachesStart;
  std::vector<uint32_t> Rows;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_SUCCESSION_H
