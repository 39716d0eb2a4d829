// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, where they are, and what reads them. A row's Line is the offset of
// its line in the text that holds it.

#ifndef HLOBUF_DUMP_VALUES_H
#define HLOBUF_DUMP_VALUES_H

#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"

namespace hlobuf {

/// `<id name{index} (phi) @color>`.
struct ValueTag {
  uint32_t Id = 0;
  NameId Name;
  ShapeIndex Index;
  int16_t Color = 0;
  bool HasColor = false;
  bool Phi = false;

  bool operator==(const ValueTag &) const = default;
};

/// A ` value:` line.
struct Value {
  ValueTag Tag;
  AllocationId Owner;
  ShapeId Shape;
  /// Bytes [Offset, Offset + Size) of the allocation.
  uint64_t Size = 0;
  uint64_t Offset = 0;
  uint32_t Line = 0;

  uint64_t end() const { return Offset + Size; }
  bool sharesBytes(const Value &Other) const {
    return Owner == Other.Owner && Offset < Other.end() && Other.Offset < end();
  }
  /// The same bytes of the same allocation.
  bool samePlace(const Value &Other) const {
    return Owner == Other.Owner && Offset == Other.Offset && Size == Other.Size;
  }
};

/// A row of the block `reused by buffers of a different color` (2026-06-17).
struct ReusedValue {
  uint32_t Line = 0;
  ValueTag Tag;
  int32_t Color = 0;
};

/// A place where a value is: an instruction and an index into its shape.
struct Position {
  NameId Name;
  /// Printed iff the instruction's shape is a tuple.
  ShapeIndex Index;
  uint32_t Line = 0;
};

/// A reader of a value.
struct Use {
  NameId Name;
  uint32_t Operand = 0;
  /// Printed iff the operand's shape is a tuple.
  ShapeIndex Index;
  uint32_t Line = 0;
};

/// A block `<id ..>` of the used values.
struct UsedValue {
  /// Offset of the tag in the text that holds the used values.
  uint32_t Line = 0;
  ValueTag Tag;
  /// Indices into Dump::Positions and Dump::Uses, half-open.
  IndexRange Positions;
  IndexRange Uses;
  /// `  (none)` was printed (2026-06-02 on).
  bool PrintedNone : 1 = false;
  /// ` uses are not initialized yet.` (2024-01-14 on).
  bool UsesUninitialized : 1 = false;
  /// The text of its instruction follows; see Dump::text().
  bool HasText : 1 = false;
  /// That text is the first one of its instruction, which could be taken apart.
  bool FirstText : 1 = false;
  /// The text is the first one of its instruction, and begins with ROOT or
  /// another name than the tag's.
  bool TextNamesOther : 1 = false;
};

/// The text of a used value that is not the first one of its instruction, or
/// could not be taken apart.
struct OtherText {
  /// UsedValue::Line of its value.
  uint32_t Line = 0;
  uint32_t Offset = 0;
  uint32_t Size = 0;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_VALUES_H
