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

/// The number of \p Row, which must be one of \p All, not a copy of it.
template <typename Record>
static uint32_t numberIn(const std::vector<Record> &All, const Record &Row) {
  assert(&Row >= All.data() && &Row < All.data() + All.size());
  return static_cast<uint32_t>(&Row - All.data());
}

/// The line of row \p Number in \p Text, where \p From is it or one before it.
/// \p IsRow says what is a row.
static StringRef findRow(StringRef Text, RowPlace From, uint32_t Number,
                         llvm::function_ref<bool(StringRef)> IsRow) {
  LineCursor In(Text.drop_front(From.Line));
  for (uint32_t Row = From.Row; !In.atEnd(); In.advance())
    if (IsRow(In.line()) && Row++ == Number)
      break;
  return In.line();
}

/// The same for rows that \p Parse reads.
template <typename Record>
static StringRef findRow(StringRef Text, RowPlace From, uint32_t Number,
                         bool (*Parse)(StringRef, HloTables &, Record &,
                                       RowTexts *)) {
  Scratch S;
  return findRow(Text, From, Number, [&](StringRef Line) {
    Record Copy;
    return Parse(Line, S.Tables, Copy, nullptr);
  });
}

/// The value that has row \p Number.
static const UsedValue &ownerOf(const Dump &D, uint32_t UsedValue::*First,
                                uint32_t Number) {
  return *std::prev(llvm::upper_bound(
      D.Used, Number,
      [&](uint32_t Wanted, const UsedValue &U) { return Wanted < U.*First; }));
}

StringRef Places::line(const Value &V) const {
  uint32_t Number = numberIn(D.Values, V);
  const Allocation &Owner = D[V.Owner];
  RowPlace From = D.ValueLines.before(Number, {Owner.Values.Begin, Owner.Line});
  Scratch S;
  return findRow(D.assignmentText(), From, Number, [&](StringRef Line) {
    Value Copy;
    return parseValueLine(Line, S.Tables, Copy);
  });
}
StringRef Places::line(const Position &P) const {
  uint32_t Number = numberIn(D.Positions, P);
  const UsedValue &U = ownerOf(D, &UsedValue::FirstPosition, Number);
  RowPlace From = D.PositionLines.before(Number, {U.FirstPosition, U.Line});
  return findRow(D.usedText(), From, Number, parsePositionLine);
}
StringRef Places::line(const Use &Row) const {
  uint32_t Number = numberIn(D.Uses, Row);
  const UsedValue &U = ownerOf(D, &UsedValue::FirstUse, Number);
  RowPlace Begin = {U.FirstPosition, U.Line};
  if (IndexRange Before = D.positionRows(U); !Before.empty())
    Begin = D.PositionLines.before(Before.End - 1, Begin);
  RowPlace From = D.UseLines.before(Number, {U.FirstUse, Begin.Line});
  return findRow(D.usedText(), From, Number, parseUseLine);
}
StringRef Places::line(const SequenceRow &R) const {
  uint32_t Number = numberIn(D.Sequence, R);
  return findRow(D.liveText(), D.SequenceLines.before(Number), Number,
                 parseSequenceLine);
}
StringRef Places::line(const LiveRangeRow &R) const {
  uint32_t Number = numberIn(D.Ranges, R);
  return findRow(D.liveText(), D.RangeLines.before(Number), Number,
                 parseRangeLine);
}
StringRef Places::line(const PeakRow &R) const {
  uint32_t Number = numberIn(D.Peak, R);
  Scratch S;
  return findRow(
      D.liveText(), D.PeakLines.before(Number), Number, [&](StringRef Line) {
        PeakRow Copy;
        PeakForm Form;
        return parsePeakLine(Line, S.Tables, Copy, Form) && Form == D.PeakRows;
      });
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
  return readAgain<AllocationHeader, AllocationTexts>(line(A),
                                                      parseAllocationLine);
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
  return readAgain<SequenceLine, RowTexts>(line(R), parseSequenceLine);
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
