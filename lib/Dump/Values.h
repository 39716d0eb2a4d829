// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations, values, where they are, and what reads them. A row's Line is the
// offset of its line in the text that holds it.

#ifndef HLOBUF_DUMP_VALUES_H
#define HLOBUF_DUMP_VALUES_H

#include "HLO/InstructionParser.h"
#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
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
  /// A heap pointer (until 2022-09-07), or an attribute that this tool does not
  /// know; see AllocationTexts.
  bool HasPointer : 1 = false;
  bool HasUnknown : 1 = false;

  int32_t color() const { return Color; }
  bool isParameter() const { return Parameter; }
  bool hasOutputShape() const { return OutputShape.valid(); }
};

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
  /// Indices into Dump::Positions and Dump::Uses; those of the next value begin
  /// where its own end.
  uint32_t FirstPosition = 0;
  uint32_t FirstUse = 0;
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

/// An instruction whose text the used values hold; its place is that of the
/// first one that was seen.
struct Instruction : TextExtent {
  NameId Name;
  ShapeId Result;
  /// Index into Dump::OperandNames; the operands of the next instruction begin
  /// where its own end. Constants and parameters have none.
  uint32_t FirstOperand = 0;
  PrintedOpcode Op;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_VALUES_H
