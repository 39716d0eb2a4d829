// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte ranges that meet in time.
//
// Sweeps over time. They cost O(n log n) for n ranges, however many of them
// overlap: a range is reported against one partner, not against all.

#ifndef HLOBUF_FACTS_OVERLAP_H
#define HLOBUF_FACTS_OVERLAP_H

#include "Support/LLVM.h"
#include <cstdint>

namespace hlobuf {

/// Bytes [Begin, End) that somebody holds during the steps [First, Last].
struct TimedBytes {
  uint64_t Begin = 0;
  uint64_t End = 0;
  int32_t First = 0;
  int32_t Last = 0;
  /// The caller's number, below 2^32 - 1.
  uint32_t Id = 0;
  /// Ranges of one group, the values of an instruction, are not compared.
  uint32_t Group = 0;

  /// Held at one step only.
  bool dead() const { return First == Last; }
  bool sharesByte(const TimedBytes &Other) const {
    return Begin < Other.End && Other.Begin < End;
  }
  bool samePlace(const TimedBytes &Other) const {
    return Begin == Other.Begin && End == Other.End;
  }
};

/// Told the ids of two ranges that share a byte.
using OverlapFn = function_ref<void(uint32_t, uint32_t)>;

/// Finds ranges that share a byte and more than a step: the later of two that
/// last several steps starts before the other ends, or one that lasts a single
/// step is strictly inside the steps of the other. \p Report gets the one
/// that starts later and, as its only partner, of those that were there before
/// the one that ends last. Ranges of one group are not compared: every range
/// that meets an earlier one of another group is reported, once. Ranges without
/// bytes and with Last < First are ignored.
void findOverlaps(ArrayRef<TimedBytes> Ranges, OverlapFn Report);

/// Finds ranges that share a byte where one has its last step as the other has
/// its first. \p Report gets the ending one, then the starting one. Ranges of
/// one group are not paired, nor one with itself. Ending ones that share a byte
/// with each other are put into up to eight lists, each of disjoint ones; a
/// starting one is reported against the first four of each list.
void findTouching(ArrayRef<TimedBytes> Ranges, OverlapFn Report);

} // namespace hlobuf

#endif // HLOBUF_FACTS_OVERLAP_H
