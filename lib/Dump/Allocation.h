// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations as their headers state them.

#ifndef HLOBUF_DUMP_ALLOCATION_H
#define HLOBUF_DUMP_ALLOCATION_H

#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hlobuf {

/// A header line `allocation N: size S, ...:` with what follows it. What few of
/// them have is in records of its own: Dump::parameter(), Dump::extras().
struct Allocation {
  uint64_t Size = 0;
  /// Offset of the line in the assignment's text.
  uint32_t Line = 0;
  uint32_t Index = 0;
  /// Ids of its values, half-open.
  IndexRange Values;
  /// 0 if none is printed.
  int16_t Color = 0;
  std::optional<int16_t> Page;
  bool Parameter : 1 = false;
  /// `shape |<unknown shape>|`; only with Parameter.
  bool UnknownParameterShape : 1 = false;
  /// `output shape is |..|`.
  bool HasOutputShape : 1 = false;
  bool Constant : 1 = false;
  bool ThreadLocal : 1 = false;
  bool MaybeLiveOut : 1 = false;
  bool PreallocatedTemp : 1 = false;
  bool HasReuseBlock : 1 = false;
  /// Dump::extras() has something.
  bool HasExtras : 1 = false;

  int32_t color() const { return Color; }
  bool isParameter() const { return Parameter; }
};

/// `parameter N, shape |..| at ShapeIndex {..}` of a header.
struct AllocationParameter {
  /// Allocation::Line of its allocation.
  uint32_t Line = 0;
  uint32_t Number = 0;
  ShapeIndex Index;
  /// Invalid for `<unknown shape>` and without bars.
  ShapeId Shape;
};

/// What else a header says.
struct AllocationExtras {
  /// Allocation::Line of its allocation.
  uint32_t Line = 0;
  /// `output shape is |..|`, invalid if absent.
  ShapeId OutputShape;
  /// Rows of the block `reused by buffers of a different color`, half-open.
  IndexRange Reused;
  /// The heap pointer printed until 2022-09-07; 0 if none was.
  uint64_t Pointer = 0;
  /// Attributes that this tool does not know, as printed with their `, `.
  llvm::StringRef Unknown;
};

/// All that a header says.
struct AllocationHeader {
  Allocation Main;
  AllocationParameter Parameter;
  AllocationExtras Extras;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_ALLOCATION_H
