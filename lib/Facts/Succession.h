//===- Facts/Succession.h - Values that follow each other -------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_FACTS_SUCCESSION_H
#define HLOBUF_FACTS_SUCCESSION_H

#include "Facts/Facts.h"

namespace hlobuf {

/// The live range of a value is cut where the next value of its buffer begins,
/// and the last value of a buffer gets the latest end of all of them
/// (hlo_live_range.cc NormalizeAliasedBuffers): how long a value would live by
/// itself shows in the whole row only. Buffers are not printed, but the values
/// of one are at the same offset of one allocation. Computed for allocations
/// of arguments and outputs; in a temp, a row may as well be unrelated values.
class Succession {
public:
  explicit Succession(const Facts &A);

  /// \p V lives to the end of the program, or a value that follows it does.
  bool reachesEnd(ValueId V) const { return ReachesEnd[V.index()]; }
  /// \p V lives from step 0 on, or a value that it follows does.
  bool reachesStart(ValueId V) const { return ReachesStart[V.index()]; }
  /// The same number for values that follow each other; 0 if \p V has no live
  /// range, or is in a temp.
  uint32_t row(ValueId V) const { return Rows[V.index()]; }

private:
  struct Entry {
    ValueId V;
    uint64_t Offset;
    StepRange Range;
  };

  void addAllocation(const Allocation &Alloc);
  void addPlace(llvm::ArrayRef<Entry> Same);

  const Facts &A;
  /// How many steps before the next value a range is cut: one before
  /// 2022-06-24, none since then.
  int32_t Gap;
  uint32_t NumRows = 0;
  std::vector<bool> ReachesEnd, ReachesStart;
  std::vector<uint32_t> Rows;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_SUCCESSION_H
