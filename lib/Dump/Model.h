// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer assignment as its dump states it.
//
// Flat arrays, filled by the reader and immutable afterwards. Sizes and
// offsets are bytes, times are steps (line numbers of InstructionSequence,
// from 0). A record keeps the offset of its line inside its section's text;
// Places.h finds the place of each field from there when it is needed.

#ifndef HLOBUF_DUMP_MODEL_H
#define HLOBUF_DUMP_MODEL_H

#include "Dump/Section.h"
#include "Dump/Thunks.h"
#include "Dump/Values.h"
#include "HLO/InstructionParser.h"
#include "HLO/Module.h"
#include "HLO/Opcode.h"
#include "HLO/Shape.h"
#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
#include "Support/NameTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <array>
#include <cassert>
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// A line `ordinal:name` of InstructionSequence.
struct SequenceRow {
  uint32_t Line = 0;
  uint32_t Ordinal = 0;
  NameId Name;
};

/// A row of BufferLiveRange: the closed range [Start, End] in steps.
struct LiveRangeRow {
  uint32_t Line = 0;
  NameId Name;
  ShapeIndex Index;
  int32_t Start = 0;
  int32_t End = 0;
};

/// How peak rows are printed.
enum class PeakForm : uint8_t {
  /// `name: N bytes`, bytes of the whole instruction, until 2025-04-14.
  Name,
  /// `name{index}: N bytes`, until 2025-05-16.
  Indexed,
  /// `name{index}: N bytes (cumulative: M bytes)`.
  Cumulative,
};

/// A row of the peak list; numbers that the form does not print are 0.
struct PeakRow {
  uint32_t Line = 0;
  NameId Name;
  ShapeIndex Index;
  PeakForm Form = PeakForm::Cumulative;
  uint64_t Bytes = 0;
  uint64_t Cumulative = 0;
};

/// A line of the stack trace breakdown (2025-07-23 on).
struct StackNode {
  uint32_t Line = 0;
  /// Bytes of the whole line; the name may hold raw newlines.
  uint32_t Size = 0;
  /// 1 for the root.
  uint32_t Depth = 0;
  /// Offset of the name inside the line, and its bytes.
  uint32_t NameOffset = 0;
  uint32_t NameSize = 0;
  /// Tenths of a percent; -1 for `nan`, -2 for `-nan`.
  int32_t PercentTenths = 0;
  uint64_t Total = 0;
  uint64_t Current = 0;
  int64_t Remaining = 0;
};

/// A line of a heap simulator's trace: what it did with the bytes of a value.
struct HeapEvent {
  enum class Kind : uint8_t { Alloc, Free, Share };
  uint32_t Line = 0;
  Kind Action = Kind::Alloc;
  /// Printed ids of the value, and of Share's other one.
  uint32_t Value = 0;
  uint32_t Source = 0;
};

/// The run of the heap simulator that placed the values of an allocation.
struct HeapTrace {
  uint32_t Line = 0;
  uint32_t Allocation = 0;
  /// Indices into Dump::HeapEvents, half-open.
  IndexRange Events;
};

/// A value that is at the peak of an allocation.
struct PeakValue {
  uint32_t Line = 0;
  /// Printed id.
  uint32_t Value = 0;
};

/// The values at the peak of an allocation.
struct PeakValueList {
  uint32_t Line = 0;
  uint32_t Allocation = 0;
  /// Indices into Dump::PeakValues, half-open.
  IndexRange Values;
};

/// Fields of a proto that nobody reads, or one that contradicts others.
struct FieldLine {
  enum class Kind : uint8_t { UnreadInProgram, UnreadAround, Different };
  uint32_t Line = 0;
  Kind Is = Kind::Different;
  /// What follows the kind.
  StringRef Text;
};

/// A place that shares the bytes of a value.
struct AliasRow {
  uint32_t Line = 0;
  /// Printed id.
  uint32_t Value = 0;
  NameId Name;
  ShapeIndex Index;
};

/// How ` from instruction:` is printed.
enum class TextForm : uint8_t {
  /// Not at all, until 2021-09-23.
  None,
  /// No space after the colon, until 2024-01-16.
  NoSpace,
  /// A space, but no newline after the text, until 2024-11-01.
  Glued,
  /// A space and a newline.
  Lines,
};

/// One file of a dump.
struct DumpFile {
  std::string Path;
  StringRef Text;
  /// Printed from a proto by this program; in a frame, whose end is marked.
  bool FromProto = false, Framed = false;

  bool present() const { return Text.data() != nullptr; }
};

/// A file that ends before its end: a program was killed while it wrote it, or
/// a disk was full.
struct CutOff {
  /// The first section of it that may lack something.
  Section In = Section::Allocations;
  /// The name of the file, without its folder.
  std::string File;
  /// What shows it, where that is another file: `without value x`.
  std::string Evidence;
};

/// Everything that a dump states about one module.
struct Dump {
  std::array<DumpFile, NumFileRoles> Files;
  std::array<SectionState, NumSections> States = {};
  /// By section: its text, where it is kept as text.
  std::array<StringRef, NumSections> SectionTexts = {};
  /// By file: set if it is not whole. Sections from there on are damaged.
  std::array<std::optional<CutOff>, NumFileRoles> Cuts;
  /// By file: some line may begin with `//`.
  std::array<bool, NumFileRoles> Commented = {true, true, true, true,
                                              true, true, true};

  NameTable Names;
  ShapeTable Shapes;
  /// Interning a path that is only asked for changes nothing that was read.
  mutable ShapeIndexTable Indices;

  /// Values, total and live ranges are in files of their own (2026-04-03 on).
  bool Split = false;
  std::vector<Allocation> Allocations;
  std::vector<Value> Values;
  std::vector<ReusedValue> Reused;

  /// `Total bytes used`, in the text that holds the used values.
  uint32_t TotalLine = 0;
  uint64_t Total = 0;
  /// The text in parentheses, as read (2021-08-09 on).
  std::optional<StringRef> TotalHuman;

  std::vector<UsedValue> Used;
  std::vector<Position> Positions;
  std::vector<Use> Uses;
  std::vector<OtherText> OtherTexts;
  TextForm Texts = TextForm::None;
  std::vector<Instruction> Instructions;
  std::vector<NameId> OperandNames;

  /// Offset of the line `HloLiveRange (max N):`, in the text that holds it.
  uint32_t LiveHeaderLine = 0;
  /// The N of it, in steps.
  uint32_t MaxStep = 0;
  /// `HloLiveRange not available (..)` (2026-04-13 on).
  bool RangesUnavailable = false;
  std::vector<SequenceRow> Sequence;
  std::vector<LiveRangeRow> Ranges;
  /// `Peak memory could not be determined ..` (2026-08-05 on).
  bool UnboundedPeak = false;
  uint32_t PeakLine = 0;
  int32_t PeakStep = 0;
  PeakForm PeakRows = PeakForm::Cumulative;
  std::vector<PeakRow> Peak;
  uint32_t StackLine = 0;
  uint64_t StackTotal = 0;
  std::vector<StackNode> Stack;

  /// The memory usage report is what the allocations imply, byte for byte. It
  /// is compared with them to see whose it is, before there are checks.
  bool ReportIsExact = false;

  std::vector<HeapTrace> HeapTraces;
  std::vector<HeapEvent> HeapEvents;
  std::vector<PeakValueList> PeakValueLists;
  std::vector<PeakValue> PeakValues;
  std::vector<AliasRow> Aliases;
  std::vector<FieldLine> Fields;

  ThunkProgram Thunks;

  /// Empty if the dump has no module text.
  HloModule Module;

  const DumpFile &file(FileRole Role) const {
    return Files[static_cast<size_t>(Role)];
  }
  SectionState state(Section S) const { return States[static_cast<size_t>(S)]; }
  bool complete(Section S) const { return state(S) == SectionState::Complete; }
  const std::optional<CutOff> &cut(FileRole Role) const {
    return Cuts[static_cast<size_t>(Role)];
  }
  /// Notes that the file of \p Role is not whole from \p In on; the first
  /// section counts.
  void noteCut(FileRole Role, Section In, std::string Evidence = "");

  bool fromProto() const { return file(FileRole::Assignment).FromProto; }
  /// The text that holds total and used values, and the one with the live
  /// ranges: the assignment's own in a combined dump.
  StringRef assignmentText() const { return file(FileRole::Assignment).Text; }
  StringRef usedText() const {
    return file(Split ? FileRole::Values : FileRole::Assignment).Text;
  }
  StringRef liveText() const {
    return file(Split ? FileRole::LiveRange : FileRole::Assignment).Text;
  }

  const Allocation &operator[](AllocationId Id) const {
    return Allocations[Id.index()];
  }
  const Value &operator[](ValueId Id) const { return Values[Id.index()]; }
  const UsedValue &operator[](UsedId Id) const { return Used[Id.index()]; }

  ArrayRef<Value> values(const Allocation &A) const {
    return slice(Values, A.Values);
  }
  /// The same as ids.
  static auto valueIds(const Allocation &A) {
    return llvm::map_range(llvm::seq(A.Values.Begin, A.Values.End),
                           [](uint32_t I) { return ValueId(I); });
  }
  ArrayRef<ReusedValue> reused(const Allocation &A) const {
    return slice(Reused, A.Reused);
  }
  /// Indices into Positions and Uses of what \p U, one of Used, has.
  IndexRange positionRows(const UsedValue &U) const {
    return rowsOf(U, Used, &UsedValue::FirstPosition, Positions.size());
  }
  IndexRange useRows(const UsedValue &U) const {
    return rowsOf(U, Used, &UsedValue::FirstUse, Uses.size());
  }
  ArrayRef<Position> positions(const UsedValue &U) const {
    return slice(Positions, positionRows(U));
  }
  ArrayRef<Use> uses(const UsedValue &U) const {
    return slice(Uses, useRows(U));
  }
  ArrayRef<NameId> operands(const Instruction &I) const {
    return slice(OperandNames,
                 rowsOf(I, Instructions, &Instruction::FirstOperand,
                        OperandNames.size()));
  }
  /// Of `parameter(N)` the N; 0 for other opcodes.
  uint32_t parameterNumber(const Instruction &I) const;

  /// The text of \p S, which is kept as text, with its first line; empty if it
  /// is absent.
  StringRef text(Section S) const {
    return SectionTexts[static_cast<size_t>(S)];
  }
  /// The text of a used value's instruction; empty if there is none.
  StringRef text(const UsedValue &U) const;
  /// The instruction of \p U, whose text must be the first one of it.
  const Instruction &firstOf(const UsedValue &U) const {
    // It is after the tag, and before the next one.
    return *rowAt(Instructions, &Instruction::TextOffset, U.Line);
  }
  StringRef text(const Instruction &I) const { return I.text(usedText()); }
  /// The text of \p I before the `(` of the operands.
  StringRef head(const Instruction &I) const { return I.head(usedText()); }
  /// Between the parentheses of \p I.
  StringRef operandsText(const Instruction &I) const {
    return I.operandsText(usedText());
  }
  /// After the parentheses of \p I, with the leading `, `.
  StringRef attributes(const Instruction &I) const {
    return I.attributes(usedText());
  }
  StringRef stackName(const StackNode &N) const {
    return liveText().substr(N.Line + N.NameOffset, N.NameSize);
  }

  /// `name{index}` as the dump spells it in value tags.
  std::string spell(NameId Name, ShapeIndex Index) const;
  std::string spell(ValueId V) const {
    return spell((*this)[V].Tag.Name, (*this)[V].Tag.Index);
  }
  /// `<id name{index} (phi) @color>`.
  std::string spell(const ValueTag &Tag) const;

private:
  /// The rows of \p Own, one of \p All, which begin at \p First and end where
  /// those of the next one begin; there are \p Count.
  template <typename T>
  static IndexRange rowsOf(const T &Own, const std::vector<T> &All,
                           uint32_t T::*First, size_t Count) {
    assert(All.data() <= &Own && &Own < All.data() + All.size());
    bool IsLast = &Own == &All.back();
    return {Own.*First, IsLast ? uint32_t(Count) : (&Own)[1].*First};
  }
  /// The first row, of rows in the order of \p Key, that is not before \p At.
  template <typename T, typename Part>
  static typename std::vector<T>::const_iterator
  rowAt(const std::vector<T> &All, uint32_t Part::*Key, uint32_t At) {
    return llvm::lower_bound(All, At, [&](const T &Row, uint32_t Offset) {
      return Row.*Key < Offset;
    });
  }
  template <typename T>
  static ArrayRef<T> slice(const std::vector<T> &All, IndexRange R) {
    return ArrayRef<T>(All).slice(R.Begin, R.size());
  }
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_MODEL_H
