// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Places.h"
#include "Support/LineCursor.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Tables that are thrown away: the texts are wanted here, not the ids.
struct Scratch {
  NameTable Names;
  ShapeTable Shapes;
  ShapeIndexTable Indices;
  HloTables Tables{Names, Shapes, Indices};
};
} // namespace

/// The fields of \p Line, which \p Parse has read before.
template <typename Record, typename Texts>
static Texts readAgain(StringRef Line, bool (*Parse)(StringRef, HloTables &,
                                                     Record &, Texts *)) {
  Scratch S;
  Record Copy;
  Texts Found;
  Parse(Line, S.Tables, Copy, &Found);
  return Found;
}

static StringRef lineAt(StringRef Text, uint32_t Offset) {
  return Text.drop_front(Offset).take_until([](char C) { return C == '\n'; });
}

StringRef Places::line(const Allocation &A) const {
  return lineAt(D.assignmentText(), A.Line);
}
StringRef Places::line(const ReusedValue &R) const {
  return lineAt(D.assignmentText(), R.Line);
}
StringRef Places::line(const UsedValue &U) const {
  return lineAt(D.usedText(), U.Line);
}

StringRef Places::line(const Value &V) const {
  return lineAt(D.assignmentText(), V.Line);
}
StringRef Places::line(const Position &P) const {
  return lineAt(D.usedText(), P.Line);
}
StringRef Places::line(const Use &Row) const {
  return lineAt(D.usedText(), Row.Line);
}
StringRef Places::line(const SequenceRow &R) const {
  return lineAt(D.liveText(), R.Line);
}
StringRef Places::line(const LiveRangeRow &R) const {
  return lineAt(D.liveText(), R.Line);
}
StringRef Places::line(const PeakRow &R) const {
  return lineAt(D.liveText(), R.Line);
}
StringRef Places::line(const StackNode &N) const {
  return D.liveText().substr(N.Line, N.Size);
}

StringRef Places::traceLine(uint32_t Offset) const {
  return D.file(FileRole::Traces)
      .Text.drop_front(Offset)
      .take_until([](char C) { return C == '\n'; })
      .ltrim(' ');
}

AllocationTexts Places::header(const Allocation &A) const {
  return readAgain<Allocation, AllocationTexts>(line(A), parseAllocationLine);
}

StringRef Places::orEnd(StringRef Field, const Allocation &A) const {
  return Field.data() ? Field : line(A).take_back(1);
}

ValueTexts Places::value(const Value &V) const {
  return readAgain<Value, ValueTexts>(line(V), parseValueLine);
}

TagTexts Places::tag(const UsedValue &U) const {
  Scratch S;
  ValueTag Copy;
  TagTexts Texts;
  Scanner In(line(U));
  parseTag(In, S.Tables, Copy, &Texts);
  return Texts;
}

TagTexts Places::tag(const ReusedValue &R) const {
  return readAgain<ReusedValue, TagTexts>(line(R), parseReusedLine);
}

RowTexts Places::row(const Position &P) const {
  return readAgain<Position, RowTexts>(line(P), parsePositionLine);
}

RowTexts Places::row(const Use &U) const {
  return readAgain<Use, RowTexts>(line(U), parseUseLine);
}

RowTexts Places::row(const SequenceRow &R) const {
  return readAgain<SequenceRow, RowTexts>(line(R), parseSequenceLine);
}

RowTexts Places::row(const LiveRangeRow &R) const {
  return readAgain<LiveRangeRow, RowTexts>(line(R), parseRangeLine);
}

RowTexts Places::row(const PeakRow &R) const {
  Scratch S;
  PeakRow Copy;
  PeakForm Form;
  RowTexts Texts;
  parsePeakLine(line(R), S.Tables, Copy, Form, &Texts);
  return Texts;
}

StackTexts Places::row(const StackNode &N) const {
  StackNode Copy;
  StackTexts Texts;
  parseStackLine(line(N), Copy, &Texts);
  return Texts;
}

RowTexts Places::total() const {
  RowTexts Texts;
  uint64_t Total;
  std::optional<StringRef> Human;
  parseTotalLine(lineAt(D.usedText(), D.TotalLine), Total, Human, &Texts);
  return Texts;
}

RowTexts Places::liveHeader() const {
  RowTexts Texts;
  uint32_t Max;
  parseLiveHeader(lineAt(D.liveText(), D.LiveHeaderLine), Max, &Texts);
  return Texts;
}

RowTexts Places::peakHeader() const {
  RowTexts Texts;
  int32_t Step;
  StringRef Line = lineAt(D.liveText(), D.PeakLine);
  if (!parsePeakHeader(Line, Step, &Texts))
    Texts.First = Line;
  return Texts;
}

RowTexts Places::stackHeader() const {
  RowTexts Texts;
  uint64_t Total;
  parseStackHeader(lineAt(D.liveText(), D.StackLine), Total, &Texts);
  return Texts;
}

InstructionText Places::text(const UsedValue &U) const {
  ShapeTable Shapes;
  return parseInstruction(D.text(U), Shapes).value_or(InstructionText());
}

InstructionText Places::text(const Instruction &I) const {
  ShapeTable Shapes;
  return parseInstruction(D.text(I), Shapes).value_or(InstructionText());
}

StringRef Places::operand(const Instruction &I, uint32_t Number) const {
  StringRef Found = D.operandsText(I);
  uint32_t At = 0;
  forEachOperand(D.operandsText(I), [&](OperandText Operand) {
    if (At++ == Number)
      Found = Operand.Name;
  });
  return Found;
}
