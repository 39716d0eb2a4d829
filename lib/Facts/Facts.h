// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derived facts of one dump.

#ifndef HLOBUF_FACTS_FACTS_H
#define HLOBUF_FACTS_FACTS_H

#include "Dump/Model.h"
#include "Dump/Places.h"
#include "Facts/ByName.h"
#include "Facts/ReleaseWindow.h"
#include "Facts/Sizes.h"
#include "HLO/StackFrames.h"
#include <memory>
#include <optional>

namespace hlobuf {

/// A closed range [Start, End] in steps.
struct StepRange {
  int32_t Start = 0;
  int32_t End = 0;

  bool contains(int32_t Step) const { return Start <= Step && Step <= End; }
  bool meets(StepRange Other) const {
    return Start <= Other.End && Other.Start <= End;
  }
  bool operator==(const StepRange &) const = default;
};

/// Facts that follow from a dump, each computed once, when it is first asked
/// for. Checks share one object, on several threads if the dump is large.
class Facts {
public:
  explicit Facts(const Dump &D);
  ~Facts();

  const Dump &dump() const { return D; }
  /// Where fields are in the text.
  const Places &places() const { return LinePlaces; }

  /// When and by whom the dump was written.
  const ReleaseWindow &release() const;
  Backend backend() const;
  bool isTPU() const { return backend() == Backend::TPU; }

  // Joins. Values and used values are joined by the printed id.

  /// The value line of a used value; invalid if none has its id.
  ValueId valueOf(UsedId U) const;
  /// The used value of a value line; invalid if none has its id.
  UsedId usedOf(ValueId V) const;
  /// What reads a value line, in the order of the dump; nothing if that is not
  /// known.
  ArrayRef<Use> readers(ValueId V) const;
  /// The value line tagged (name, index); invalid if there is none.
  ValueId findValue(NameId Name, ShapeIndex Index) const;
  /// The used value tagged (name, index); invalid if there is none.
  UsedId findUsed(NameId Name, ShapeIndex Index) const;
  /// The used values that \p Name defines, as numbers, by index.
  ArrayRef<uint32_t> usedOfInstruction(NameId Name) const;
  /// The value lines that \p Name defines, as numbers, by index.
  ArrayRef<uint32_t> valuesOfInstruction(NameId Name) const;

  /// The instruction text of \p Name; null if the dump holds none that could
  /// be read.
  const Instruction *instruction(NameId Name) const;
  /// Its opcode; Unknown without text.
  Opcode opcode(NameId Name) const;
  bool hasText(NameId Name) const { return instruction(Name) != nullptr; }

  /// Numbers in Dump::Positions of all positions at instruction \p Name.
  ArrayRef<uint32_t> positionsAt(NameId Name) const;
  /// The same at (name, index).
  ArrayRef<uint32_t> positionsAt(NameId Name, ShapeIndex Index) const;
  /// True if \p U says that it is at (name, index), printed like that.
  bool isAt(UsedId U, NameId Name, ShapeIndex Index) const;
  /// Numbers in Dump::Uses of all uses by instruction \p Name.
  ArrayRef<uint32_t> usesBy(NameId Name) const;
  /// The used value that position or use number \p Number belongs to.
  UsedId ownerOfPosition(uint32_t Number) const;
  UsedId ownerOfUse(uint32_t Number) const;
  /// The one used value positioned at (name, index); invalid if there is none
  /// or more than one.
  UsedId valueAt(NameId Name, ShapeIndex Index) const;

  /// Number in Dump::Ranges of a value's row; nothing if it has none.
  std::optional<uint32_t> rangeRow(ValueId V) const;
  /// The same for the row of (name, index).
  std::optional<uint32_t> rangeRow(NameId Name, ShapeIndex Index) const;
  /// The stated live range of a value.
  std::optional<StepRange> range(ValueId V) const;
  /// The stated live range of (name, index).
  std::optional<StepRange> range(NameId Name, ShapeIndex Index) const;

  /// The step of \p Name; -1 if it is not in the sequence, or there twice.
  int32_t time(NameId Name) const;
  /// Number of steps, called T; a range may end there.
  int32_t steps() const { return static_cast<int32_t>(D.Sequence.size()); }
  /// The sequence is numbered 0, 1, 2, ..., names no instruction twice, and has
  /// as many steps as its heading says: a row's number is its step.
  bool isSequenceSound() const;

  /// The sequence is sound, each value whose instruction is in it has one live
  /// range, rows ascend by value id, and are inside the steps. Where it does
  /// not hold, what follows from live ranges says nothing.
  bool areRangesSound() const;

  // Gates.

  /// The ENTRY computation's root as far as the dump shows it: of the values
  /// that fill the allocation with `output shape` and live to the end, the
  /// module's root or, where they are not at that, the latest top-level
  /// position in the sequence. Invalid if it cannot be determined.
  NameId entryRoot() const;
  /// True if \p U has a position at the entry root.
  bool isLiveOut(UsedId U) const;
  /// Every row of BufferLiveRange is a used value, so no value without
  /// allocation hides positions. False without live ranges.
  bool isFull() const;
  /// No position belongs to two values.
  bool isSSA() const;
  /// Some async computation runs on a SparseCore of a TPU.
  bool hasSparseCore() const;

  /// `file.py:12` where \p I comes from; empty if neither its metadata nor the
  /// stack tables of the module tell, or the line is a framework's own.
  std::string sourceLine(const Instruction &I) const;
  /// The same for an instruction with these attributes.
  std::string sourceLine(StringRef Attributes) const;
  /// The same for an instruction with this metadata.
  std::string sourceLine(const InstructionMetadata &Metadata) const;
  /// The calls that lead to an instruction with these attributes, the innermost
  /// first; empty if the module has no stack tables.
  std::vector<SourceFrame> calls(StringRef Attributes) const;

  /// The items of \p I's output_to_operand_aliasing; none for async sugar,
  /// whose numbering belongs to the wrapped instruction.
  SmallVector<DeclaredAlias, 2> aliases(const Instruction &I) const;

private:
  /// Of an instruction with this metadata; 0 if unknown.
  static uint32_t frameOf(const InstructionMetadata &Metadata);
  const StackFrames &frames() const;

  struct Cache;
  const Dump &D;
  Places LinePlaces;
  std::unique_ptr<Cache> Memo;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_FACTS_H
