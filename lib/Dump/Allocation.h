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

/// A header line `allocation N: size S, ...:` with what follows it.
struct Allocation {
  uint64_t Size = 0;
  /// Offset of the line in the assignment's text.
  uint32_t Line = 0;
  uint32_t Index = 0;
  /// Ids of its values, half-open.
  IndexRange Values;
  /// `parameter N, shape |..| at ShapeIndex {..}`; only with Parameter. The
  /// shape is invalid for `<unknown shape>` and without bars.
  uint32_t ParameterNumber = 0;
  ShapeIndex ParameterIndex;
  ShapeId ParameterShape;
  /// `output shape is |..|`, invalid if absent.
  ShapeId OutputShape;
  /// Rows of the block `reused by buffers of a different color`, half-open.
  IndexRange Reused;
  /// The heap pointer printed until 2022-09-07; 0 if none was.
  uint64_t Pointer = 0;
  /// Attributes that this tool does not know, as printed with their `, `.
  llvm::StringRef Unknown;
  /// 0 if none is printed.
  int16_t Color = 0;
  std::optional<int16_t> Page;
  bool Parameter : 1 = false;
  /// `shape |<unknown shape>|`; only with Parameter.
  bool UnknownParameterShape : 1 = false;
  bool Constant : 1 = false;
  bool ThreadLocal : 1 = false;
  bool MaybeLiveOut : 1 = false;
  bool PreallocatedTemp : 1 = false;
  bool HasReuseBlock : 1 = false;

  int32_t color() const { return Color; }
  bool isParameter() const { return Parameter; }
  bool hasOutputShape() const { return OutputShape.valid(); }
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_ALLOCATION_H
