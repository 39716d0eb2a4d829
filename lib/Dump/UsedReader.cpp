// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/SectionReader.h"
#include "Support/Format.h"

using namespace hlobuf;

namespace {
struct UsedReader : SectionReader {
  using SectionReader::SectionReader;
  void readTotal(LineCursor &In);
  void read(LineCursor &In);

  bool readTagLine(LineCursor &In, UsedValue &U);
  void readUsedBody(LineCursor &In, UsedValue &U);
  bool readPositions(LineCursor &In, UsedValue &U);
  /// False where \p In does not begin with uses.
  bool readUses(LineCursor &In, UsedValue &U);
  bool readTextLine(LineCursor &In, UsedValue &U);
  bool continuesBehind(LineCursor &In, PendingText &SoFar) const;
  void cutGluedTag(StringRef &Text);
  void noteText(UsedValue &U, StringRef Text);
  bool addInstruction(UsedValue &U, StringRef Text);
  bool readOperands(const InstructionText &Parts, const Instruction &I);
  void skipToNextTag(LineCursor &In);
  bool endsUsed(const LineCursor &In) const;

  /// The first used value decides whether texts are printed.
  bool TextFormKnown = false;
  /// A tag glued to the text of the value before it, waiting to be read.
  StringRef PendingTag;
  /// By name: there is an instruction.
  std::vector<bool> Known;
};
} // namespace

static constexpr StringRef TextHeading = " from instruction:";

void UsedReader::readTotal(LineCursor &In) {
  present(Section::Total);
  D.TotalLine = In.offset();
  RowTexts Texts;
  if (!parseTotalLine(In.line(), D.Total, Texts))
    damaged(In.line(), Section::Total, "expected 'Total bytes used: N' here");
  if (Texts.Second.data())
    D.TotalHuman = Texts.Second;
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

void UsedReader::read(LineCursor &In) {
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
    TagTexts Texts;
    U.Line = static_cast<uint32_t>(PendingTag.data() - In.text().data());
    PendingTag = StringRef();
    return parseTag(Tag, Tables, U.Tag, Texts);
  }
  if (!parse(In, U))
    return false;
  In.advance();
  return true;
}

void UsedReader::skipToNextTag(LineCursor &In) {
  UsedValue Next;
  while (!endsUsed(In) && !parse(In, Next))
    In.advance();
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
    D.Positions.resize(NumPositions);
    D.Uses.resize(NumUses);
    return;
  }
  D.Used.push_back(U);
}

bool UsedReader::readPositions(LineCursor &In, UsedValue &U) {
  if (In.line() != " positions:")
    return false;
  U.FirstPosition = static_cast<uint32_t>(D.Positions.size());
  for (In.advance(); In.line().starts_with("  "); In.advance()) {
    Position P;
    if (parse(In, P))
      D.Positions.push_back(P);
    else
      damaged(In.line(), Section::Used, "cannot parse this line as a position");
  }
  return true;
}

bool UsedReader::readUses(LineCursor &In, UsedValue &U) {
  U.FirstUse = static_cast<uint32_t>(D.Uses.size());
  if (In.line() == " uses are not initialized yet.") {
    U.UsesUninitialized = true;
    In.advance();
    return true;
  }
  if (In.line() != " uses:")
    return false;
  for (In.advance(); In.line().starts_with("  "); In.advance()) {
    Use Row;
    if (In.line() == "  (none)" && U.FirstUse == D.Uses.size() &&
        !U.PrintedNone)
      U.PrintedNone = true;
    else if (parse(In, Row) && !U.PrintedNone)
      D.Uses.push_back(Row);
    else
      damaged(In.line(), Section::Used, "cannot parse this line as a use");
  }
  return true;
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
  return !In.atEnd() && !In.line().starts_with("<") &&
         (!In.line().empty() || !endsUsed(In)) && !SoFar.isBalanced();
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
  UsedValue Next;
  TagTexts Texts;
  if (!parseLine(Text.drop_front(Open), Tables, Next, Texts))
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
    D.OtherTexts.push_back({U.Line, uint32_t(Text.data() - D.usedText().data()),
                            uint32_t(Text.size())});
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
  I.FirstOperand = static_cast<uint32_t>(D.OperandNames.size());
  if (!readOperands(*Parts, I)) {
    D.OperandNames.resize(I.FirstOperand);
    return false;
  }
  D.Instructions.push_back(I);
  return true;
}

/// Reads the names of operands; a parameter has a number.
bool UsedReader::readOperands(const InstructionText &Parts,
                              const Instruction &I) {
  if (I.Op.Op == Opcode::Parameter) {
    Scanner Number(Parts.Operands);
    uint32_t N = 0;
    return Number.number(N) && Number.atEnd();
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

void hlobuf::readUsedValues(Dump &D, SyntaxErrors &Syntax, LineCursor &In,
                            bool HasTotal) {
  UsedReader Used(D, Syntax);
  if (HasTotal)
    Used.readTotal(In);
  Used.read(In);
}
