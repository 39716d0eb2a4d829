// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/UsedReader.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef TextHeading = " from instruction:";

void UsedReader::readTotal(LineCursor &In) {
  present(Section::Total);
  D.TotalLine = In.offset();
  if (!parseTotalLine(In.line(), D.Total, D.TotalHuman))
    damaged(In.line(), Section::Total, "expected 'Total bytes used: N' here");
  if (!In.line().empty() && In.line() != "Used values:")
    In.advance();
  expectEmptyLines(In, 1, Section::Total);
}

/// True at the empty line or the heading after the used values.
bool UsedReader::endsUsed(const LineCursor &In) const {
  if (In.atEnd() || In.line().starts_with("HloLiveRange"))
    return true;
  if (!In.line().empty())
    return false;
  StringRef Next = In.peek();
  return Next.empty() || Next.starts_with("HloLiveRange");
}

void UsedReader::readUsedValues(LineCursor &In) {
  present(Section::Used);
  if (In.line() != "Used values:") {
    damaged(In.line(), Section::Used, "expected 'Used values:' here");
    if (In.atEnd())
      return;
  }
  if (!In.line().starts_with("<"))
    In.advance();
  while (!PendingTag.empty() || !endsUsed(In)) {
    UsedValue U;
    if (!readTagLine(In, U)) {
      damaged(In.line(), Section::Used,
              "expected the tag of a used value: '<id name @color>'");
      In.advance();
      skipToNextTag(In);
      continue;
    }
    readUsedBody(In, U);
  }
  if (!PendingTag.empty())
    damaged(PendingTag, Section::Used, "a value without positions and uses");
  if (D.Texts != TextForm::None)
    present(Section::Texts);
}

bool UsedReader::readTagLine(LineCursor &In, UsedValue &U) {
  if (!PendingTag.empty()) {
    Scanner Tag(PendingTag);
    U.Line = static_cast<uint32_t>(PendingTag.data() - In.text().data());
    PendingTag = StringRef();
    return parseTag(Tag, Tables, U.Tag);
  }
  Scanner Tag(In.line());
  U.Line = In.offset();
  if (!parseTag(Tag, Tables, U.Tag) || !Tag.atEnd())
    return false;
  In.advance();
  return true;
}

void UsedReader::skipToNextTag(LineCursor &In) {
  while (!endsUsed(In)) {
    ValueTag Tag;
    Scanner Line(In.line());
    if (parseTag(Line, Tables, Tag) && Line.atEnd())
      return;
    In.advance();
  }
}

void UsedReader::readUsedBody(LineCursor &In, UsedValue &U) {
  const char *Missing = nullptr;
  size_t NumPositions = D.Positions.size();
  size_t NumUses = D.Uses.size();
  if (!readPositions(In, U))
    Missing = "expected ' positions:'";
  else if (!readUses(In, U))
    Missing = "expected a position, '  name' or '  name {index}', or ' uses:'";
  else if (!readTextLine(In, U))
    Missing = "expected a use, '  name, operand N', or ' from instruction:'";
  if (Missing) {
    damaged(In.line(), Section::Used, Missing);
    skipToNextTag(In);
    // Every row belongs to a block.
    dropRows(NumPositions, NumUses);
    return;
  }
  D.Used.push_back(U);
}

void UsedReader::dropRows(size_t NumPositions, size_t NumUses) {
  D.Positions.resize(NumPositions);
  D.Uses.resize(NumUses);
}

void UsedReader::readPositionRows(LineCursor &In, UsedValue &U) {
  U.Positions.Begin = static_cast<uint32_t>(D.Positions.size());
  while (!In.atEnd() && In.line().starts_with("  ")) {
    Position P;
    P.Line = In.offset();
    if (parsePositionLine(In.line(), Tables, P))
      D.Positions.push_back(P);
    else
      damaged(In.line(), Section::Used, "cannot parse this line as a position");
    In.advance();
  }
  U.Positions.End = static_cast<uint32_t>(D.Positions.size());
}

bool UsedReader::readPositions(LineCursor &In, UsedValue &U) {
  if (In.line() != " positions:")
    return false;
  In.advance();
  readPositionRows(In, U);
  return true;
}

bool UsedReader::readUses(LineCursor &In, UsedValue &U) {
  U.Uses.Begin = U.Uses.End = static_cast<uint32_t>(D.Uses.size());
  if (In.line() == " uses are not initialized yet.") {
    U.UsesUninitialized = true;
    In.advance();
    return true;
  }
  if (In.line() != " uses:")
    return false;
  In.advance();
  readUseRows(In, U);
  U.Uses.End = static_cast<uint32_t>(D.Uses.size());
  return true;
}

void UsedReader::readUseRows(LineCursor &In, UsedValue &U) {
  while (!In.atEnd() && In.line().starts_with("  ")) {
    Use Row;
    Row.Line = In.offset();
    if (In.line() == "  (none)" && U.Uses.Begin == D.Uses.size() &&
        !U.PrintedNone)
      U.PrintedNone = true;
    else if (parseUseLine(In.line(), Tables, Row) && !U.PrintedNone)
      D.Uses.push_back(Row);
    else
      damaged(In.line(), Section::Used, "cannot parse this line as a use");
    In.advance();
  }
}

/// Reads the instruction's text. True where there is one, or where this dump
/// prints none.
bool UsedReader::readTextLine(LineCursor &In, UsedValue &U) {
  StringRef Line = In.line();
  bool Present = Line.starts_with(TextHeading);
  if (!TextFormKnown) {
    TextFormKnown = true;
    if (Present)
      D.Texts = Line.drop_front(TextHeading.size()).starts_with(" ")
                    ? TextForm::Lines
                    : TextForm::NoSpace;
  }
  if (D.Texts == TextForm::None)
    return !Present;
  StringRef Text = Line.drop_front(std::min(Line.size(), TextHeading.size()));
  if (!Present || (D.Texts != TextForm::NoSpace && !Text.consume_front(" ")))
    return false;
  if (Text.ends_with(">"))
    cutGluedTag(Text);
  In.advanceRaw();
  PendingText SoFar(Text);
  while (PendingTag.empty() && continuesBehind(In, SoFar)) {
    SoFar.extend(In.line());
    Text = SoFar.text();
    if (In.line().ends_with(">"))
      cutGluedTag(Text);
    In.advanceRaw();
  }
  while (!In.atEnd() && In.line().starts_with("//"))
    In.advance();
  if (In.atEnd() && PendingTag.empty() && !SoFar.isBalanced())
    damaged(In.line(), Section::Used, "expected the rest of an instruction");
  noteText(U, Text);
  return true;
}

/// True if the line at \p In belongs to the instruction before it: brackets or
/// strings are still open and no new tag begins.
bool UsedReader::continuesBehind(LineCursor &In, PendingText &SoFar) const {
  if (In.atEnd() || In.line().starts_with("<"))
    return false;
  if (In.line().empty() && endsUsed(In))
    return false;
  return !SoFar.isBalanced();
}

/// From 2024-01-16 to 2024-11-01 the newline after the text was missing, so
/// the next value's tag is the end of its line.
void UsedReader::cutGluedTag(StringRef &Text) {
  StringRef Line = Text.drop_front(Text.rfind('\n') + 1);
  size_t Open = Line.rfind('<');
  if (Open != StringRef::npos)
    Open += Text.size() - Line.size();
  if (Open == StringRef::npos || Open == 0 || D.Texts == TextForm::NoSpace)
    return;
  ValueTag Tag;
  Scanner Tail(Text.drop_front(Open));
  if (!parseTag(Tail, Tables, Tag) || !Tail.atEnd())
    return;
  PendingTag = Text.drop_front(Open);
  Text = Text.take_front(Open);
  D.Texts = TextForm::Glued;
}

/// Keeps \p Text, that of \p U.
void UsedReader::noteText(UsedValue &U, StringRef Text) {
  U.HasText = !Text.empty();
  NameId Name = U.Tag.Name;
  if (Known.size() <= Name.index())
    Known.resize(std::max<size_t>(D.Names.size(), Name.index() + 1));
  if (!Known[Name.index()]) {
    U.FirstText = Known[Name.index()] = addInstruction(U, Text);
    if (!U.FirstText)
      damaged(Text, Section::Texts, "cannot parse this text as an instruction");
  }
  if (U.HasText && !U.FirstText)
    D.OtherTexts.push_back(
        {U.Line, static_cast<uint32_t>(Text.data() - D.usedText().data()),
         static_cast<uint32_t>(Text.size())});
}

/// Adds the instruction that \p Text, the text of \p U, is the first one of.
/// False if it cannot be taken apart.
bool UsedReader::addInstruction(UsedValue &U, StringRef Text) {
  std::optional<InstructionText> Parts = parseInstruction(Text, D.Shapes);
  if (!Parts)
    return false;
  Instruction I;
  U.TextNamesOther = Parts->Root || Parts->Name != D.Names[U.Tag.Name];
  I.Name = U.Tag.Name;
  static_cast<TextExtent &>(I) =
      TextExtent(D.usedText(), Text, Parts->Operands);
  I.Result = Parts->Result;
  I.Op = Parts->Op;
  I.First = static_cast<uint32_t>(D.OperandNames.size());
  if (!readOperands(*Parts, I))
    return false;
  if (I.Op.Op != Opcode::Parameter)
    I.NumOperands = static_cast<uint32_t>(D.OperandNames.size() - I.First);
  D.Instructions.push_back(I);
  return true;
}

/// Reads the number of a parameter, or the names of operands.
bool UsedReader::readOperands(const InstructionText &Parts, Instruction &I) {
  if (I.Op.Op == Opcode::Parameter) {
    Scanner Number(Parts.Operands);
    return Number.number(I.First) && Number.atEnd();
  }
  if (I.Op.Op == Opcode::Constant)
    return true;
  bool Compact = false;
  bool Readable = forEachOperand(Parts.Operands, [&](OperandText Operand) {
    Compact |= !Operand.Path.empty();
    D.OperandNames.push_back(D.Names.intern(Operand.Name));
  });
  return Readable && !Compact; // only module texts leave elements out
}
