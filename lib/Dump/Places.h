// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the fields of the model stand.

#ifndef HLOBUF_DUMP_PLACES_H
#define HLOBUF_DUMP_PLACES_H

#include "Dump/Lines.h"
#include "Dump/Model.h"

namespace hlobuf {

/// Finds the texts of single fields by reading a record's line once more, so
/// that the model need not keep them. Only diagnostics pay for it. A field
/// that was not printed gives the empty text at the end of its line.
class Places {
public:
  explicit Places(const Dump &D) : D(D) {}

  /// The whole line of a record of the dump, without its newline.
  llvm::StringRef line(const Allocation &A) const;
  llvm::StringRef line(const Value &V) const;
  llvm::StringRef line(const UsedValue &U) const;
  llvm::StringRef line(const Position &P) const;
  llvm::StringRef line(const Use &Row) const;
  llvm::StringRef line(const SequenceRow &R) const;
  llvm::StringRef line(const LiveRangeRow &R) const;
  llvm::StringRef line(const PeakRow &R) const;
  llvm::StringRef line(const StackNode &N) const;
  llvm::StringRef line(const ReusedValue &R) const;
  /// The line at \p Offset of what only protos hold.
  llvm::StringRef traceLine(uint32_t Offset) const;

  /// The fields of a header. Flags and attributes that are absent are empty,
  /// with a null pointer: see flagOrEnd.
  AllocationTexts header(const Allocation &A) const;
  /// \p Field, or the empty text before the colon of \p A if it is absent.
  llvm::StringRef orEnd(llvm::StringRef Field, const Allocation &A) const;

  /// The fields of a value line; a multi-line value's place included.
  ValueTexts value(const Value &V) const;
  TagTexts tag(const UsedValue &U) const;
  TagTexts tag(const ReusedValue &R) const;

  RowTexts row(const Position &P) const;
  RowTexts row(const Use &U) const;
  RowTexts row(const SequenceRow &R) const;
  RowTexts row(const LiveRangeRow &R) const;
  RowTexts row(const PeakRow &R) const;
  StackTexts row(const StackNode &N) const;

  /// First: the number; Second: the human text.
  RowTexts total() const;
  /// First: the number of `HloLiveRange (max N)`.
  RowTexts liveHeader() const;
  /// First: the step of `Live ranges at N`.
  RowTexts peakHeader() const;
  /// First: the bytes of the stack tree's heading.
  RowTexts stackHeader() const;

  /// Name, shape and opcode in the text of \p U.
  InstructionText text(const UsedValue &U) const;
  InstructionText text(const Instruction &I) const;
  /// The name of operand \p Number in the text of \p I; the whole operand list
  /// if there are fewer.
  llvm::StringRef operand(const Instruction &I, uint32_t Number) const;

private:
  const Dump &D;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_PLACES_H
