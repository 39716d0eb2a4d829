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
  template <typename Record> StringRef line(const Record &R) const {
    if constexpr (llvm::is_one_of<Record, Allocation, Value, ReusedValue>())
      return lineAt(D.assignmentText(), R.Line);
    if constexpr (llvm::is_one_of<Record, UsedValue, Position, Use>())
      return lineAt(D.usedText(), R.Line);
    return lineAt(D.liveText(), R.Line);
  }
  StringRef line(const StackNode &N) const {
    return D.liveText().substr(N.Line, N.Size);
  }
  /// The line at \p Offset of what only protos hold.
  StringRef traceLine(uint32_t Offset) const {
    return lineAt(D.file(FileRole::Traces).Text, Offset).ltrim(' ');
  }

  /// The fields of a header. Flags and attributes that are absent are empty,
  /// with a null pointer: see orEnd.
  AllocationTexts header(const Allocation &A) const {
    return readAgain<Allocation>(line(A), parseLine);
  }
  /// \p Field, or the empty text before the colon of \p A if it is absent.
  StringRef orEnd(StringRef Field, const Allocation &A) const {
    return Field.data() ? Field : line(A).take_back(1);
  }

  ValueTexts value(const Value &V) const {
    return readAgain<Value>(line(V), parseLine);
  }
  /// Of a UsedValue or ReusedValue.
  template <typename Record> TagTexts tag(const Record &R) const {
    return readAgain<Record>(line(R), parseLine);
  }
  /// RowTexts, or the StackTexts of a StackNode.
  template <typename Record> auto row(const Record &R) const {
    return readAgain<Record>(line(R), parseLine);
  }

  // Headings: see Lines.h.
  RowTexts total() const {
    return heading(D.usedText(), D.TotalLine, parseTotalLine);
  }
  RowTexts liveHeader() const {
    return heading(D.liveText(), D.LiveHeaderLine, parseLiveHeader);
  }
  RowTexts peakHeader() const {
    return heading(D.liveText(), D.PeakLine, parsePeakHeader);
  }
  RowTexts stackHeader() const {
    return heading(D.liveText(), D.StackLine, parseStackHeader);
  }

  /// Name, shape and opcode in the text of a UsedValue or Instruction.
  template <typename Record> InstructionText text(const Record &R) const {
    ShapeTable Shapes;
    return parseInstruction(D.text(R), Shapes).value_or(InstructionText());
  }
  /// The name of operand \p Number in the text of \p I; the whole operand list
  /// if there are fewer.
  StringRef operand(const Instruction &I, uint32_t Number) const {
    StringRef Name = D.operandsText(I);
    uint32_t Index = 0;
    forEachOperand(D.operandsText(I), [&](OperandText Operand) {
      if (Index++ == Number)
        Name = Operand.Name;
    });
    return Name;
  }

private:
  static StringRef lineAt(StringRef Text, uint32_t Offset) {
    return Text.drop_front(Offset).take_until([](char C) { return C == '\n'; });
  }
  /// The texts of the heading at \p Offset of \p Text; all of it is the first
  /// one where \p Parse does not read it.
  template <typename T>
  static RowTexts heading(StringRef Text, uint32_t Offset,
                          bool (*Parse)(StringRef, T &, RowTexts &)) {
    RowTexts Texts;
    T Number;
    if (!Parse(lineAt(Text, Offset), Number, Texts))
      Texts.First = lineAt(Text, Offset);
    return Texts;
  }
  /// The fields of \p Line, which \p Parse has read before: the ids are thrown
  /// away.
  template <typename Record, typename Texts>
  static Texts readAgain(StringRef Line, bool (*Parse)(StringRef, HloTables &,
                                                       Record &, Texts &)) {
    NameTable Names;
    ShapeTable Shapes;
    ShapeIndexTable Indices;
    HloTables Tables{Names, Shapes, Indices};
    Record Copy;
    Texts Fields;
    Parse(Line, Tables, Copy, Fields);
    return Fields;
  }

  const Dump &D;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_PLACES_H
