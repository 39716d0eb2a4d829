// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Lines.h"

using namespace hlobuf;

/// The text between the rest of \p Before and the rest of \p In.
static StringRef passed(StringRef Before, const Scanner &In) {
  return Before.drop_back(In.rest().size());
}

static bool parseIndex(Scanner &In, HloTables &T, ShapeIndex &Index,
                       StringRef &Text) {
  StringRef Before = In.rest();
  if (!T.Indices.parse(In, Index))
    return false;
  Text = passed(Before, In);
  return true;
}

/// ` @N`, if it is there.
static bool parseColor(Scanner &In, ValueTag &Tag, StringRef &Text) {
  if (!In.literal(" @"))
    return true;
  Tag.HasColor = true;
  return In.signedNumber(Tag.Color, &Text);
}

/// Value ids stay below 2^31: the keys of hash tables have room.
static bool parseId(Scanner &In, ValueTag &Tag, TagTexts &Out) {
  return In.number(Tag.Id, &Out.Id) && Tag.Id <= INT32_MAX;
}

bool hlobuf::parseTag(Scanner &In, HloTables &T, ValueTag &Tag, TagTexts &Out) {
  StringRef Before = In.rest();
  if (!In.literal('<') || !parseId(In, Tag, Out) || !In.literal(' ') ||
      !In.name(Out.Name) ||
      (In.front() == '{' && !parseIndex(In, T, Tag.Index, Out.Index)))
    return false;
  StringRef BeforePhi = In.rest();
  Tag.Phi = In.literal(" (phi)");
  Out.Phi = passed(BeforePhi, In);
  if (!parseColor(In, Tag, Out.Color) || !In.literal('>'))
    return false;
  Tag.Name = T.Names.intern(Out.Name);
  Out.Whole = passed(Before, In);
  return true;
}

/// A shape without layout between bars, or the text for an unknown one.
static bool parseBarredShape(Scanner &In, HloTables &T, ShapeId &Shape,
                             bool *Unknown, StringRef &Text) {
  if (!In.literal('|'))
    return false;
  StringRef Before = In.rest();
  if (Unknown && In.literal("<unknown shape>"))
    *Unknown = true;
  else if (!(Shape = T.Shapes.parse(In)))
    return false;
  Text = passed(Before, In);
  return In.literal('|');
}

static bool parseParameter(Scanner &In, HloTables &T, Allocation &A,
                           AllocationTexts &Texts) {
  bool Unknown = false;
  if (!In.number(A.ParameterNumber, &Texts.Parameter))
    return false;
  if (In.literal(", shape ") &&
      !parseBarredShape(In, T, A.ParameterShape, &Unknown,
                        Texts.ParameterShape))
    return false;
  A.Parameter = true;
  A.UnknownParameterShape = Unknown;
  return In.literal(" at ShapeIndex ") &&
         parseIndex(In, T, A.ParameterIndex, Texts.ParameterIndex);
}

/// Takes an attribute that this tool does not know: up to the next comma or
/// the final colon.
static bool parseUnknownAttribute(Scanner &In, StringRef &Unknown) {
  StringRef Before = In.rest();
  In.literal(", ");
  if (!isLower(In.front()))
    return false;
  size_t Size = In.rest().find(", ");
  if (Size == StringRef::npos)
    Size = In.rest().size() - 1;
  StringRef Attribute = In.take(Size);
  if (Attribute.empty() || Attribute.contains(':') || Attribute.contains('|'))
    return false;
  // Known ones must not come again, or misspelled by order.
  for (StringRef Known :
       {"size ", "color ", "page ", "parameter ", "output ", "constant",
        "thread-local", "maybe-live-out", "preallocated-temp", "shape "})
    if (Attribute.starts_with(Known))
      return false;
  Unknown = passed(Before, In);
  return true;
}

/// A flag: consumes `, word` and notes where the word is.
static bool parseFlag(Scanner &In, StringRef Word, StringRef &Text) {
  StringRef Rest = In.rest();
  if (!Rest.consume_front(", ") || !Rest.starts_with(Word))
    return false;
  StringRef After = Rest.drop_front(Word.size());
  if (!After.starts_with(",") && !After.starts_with(":"))
    return false;
  In.literal(", ");
  Text = In.take(Word.size());
  return true;
}

/// `0x..., `, if it is there: until 2022-09-07, a place in the heap.
static bool parsePointer(Scanner &In, StringRef &Text) {
  if (!In.rest().starts_with("0x"))
    return true;
  uint64_t Pointer = 0;
  StringRef Hex = In.rest().drop_front(2).take_while(
      [](char C) { return llvm::isHexDigit(C) && !isUpper(C); });
  if (Hex.empty() || (Hex.size() > 1 && Hex.front() == '0') ||
      Hex.getAsInteger(16, Pointer) || Pointer == 0)
    return false;
  Text = In.take(Hex.size() + 2);
  return In.literal(", ");
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, Allocation &A,
                       AllocationTexts &Out) {
  Scanner In(Line);
  if (!In.literal("allocation ") || !In.number(A.Index, &Out.Index) ||
      !In.literal(": ") || !parsePointer(In, Out.Pointer) ||
      !In.literal("size ") || !In.number(A.Size, &Out.Size))
    return false;
  if (In.literal(", color ") &&
      (!In.signedNumber(A.Color, &Out.Color) || A.Color == 0))
    return false;
  if (In.literal(", page ") && !In.signedNumber(A.Page.emplace(), &Out.Page))
    return false;
  if (In.literal(", parameter ") && !parseParameter(In, T, A, Out))
    return false;
  if (In.literal(", output shape is ") &&
      !parseBarredShape(In, T, A.OutputShape, nullptr, Out.OutputShape))
    return false;
  A.Constant = parseFlag(In, "constant", Out.Constant);
  A.ThreadLocal = parseFlag(In, "thread-local", Out.ThreadLocal);
  A.MaybeLiveOut = parseFlag(In, "maybe-live-out", Out.MaybeLiveOut);
  A.PreallocatedTemp = parseFlag(In, "preallocated-temp", Out.PreallocatedTemp);
  if (In.rest().starts_with(", ") && !parseUnknownAttribute(In, Out.Unknown))
    return false;
  A.HasPointer = !Out.Pointer.empty();
  A.HasUnknown = !Out.Unknown.empty();
  return In.literal(':') && In.atEnd();
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, Value &V,
                       ValueTexts &Out) {
  Scanner In(Line);
  if (!In.literal(" value: ") || !parseTag(In, T, V.Tag, Out.Tag) ||
      !In.literal(" (size=") || !In.number(V.Size, &Out.Size) ||
      !In.literal(",offset=") || !In.number(V.Offset, &Out.Offset) ||
      !In.literal("): ") || V.end() < V.Offset)
    return false;
  Out.Shape = In.rest();
  V.Shape = T.Shapes.parse(In);
  return V.Shape && In.atEnd();
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, ReusedValue &R,
                       TagTexts &Out) {
  Scanner In(Line);
  return In.literal("  value: ") && parseTag(In, T, R.Tag, Out) &&
         In.literal(" (color=") && In.signedNumber(R.Color) &&
         In.literal(')') && In.atEnd();
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, UsedValue &U,
                       TagTexts &Out) {
  Scanner In(Line);
  return parseTag(In, T, U.Tag, Out) && In.atEnd();
}

bool hlobuf::parseTotalLine(StringRef Line, uint64_t &Total, RowTexts &Out) {
  Scanner In(Line);
  if (!In.literal("Total bytes used: ") || !In.number(Total, &Out.First))
    return false;
  if (In.atEnd())
    return true;
  if (!In.literal(" (") || !In.rest().ends_with(")"))
    return false;
  Out.Second = In.rest().drop_back(1);
  return true;
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, Position &P,
                       RowTexts &Out) {
  Scanner In(Line);
  if (!In.literal("  ") || !In.name(Out.Name) ||
      (In.literal(' ') && !parseIndex(In, T, P.Index, Out.Index)) ||
      !In.atEnd())
    return false;
  P.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, Use &U, RowTexts &Out) {
  Scanner In(Line);
  if (!In.literal("  ") || !In.name(Out.Name) || !In.literal(", operand ") ||
      !In.number(U.Operand, &Out.First) ||
      (In.literal(' ') && !parseIndex(In, T, U.Index, Out.Index)) ||
      !In.atEnd())
    return false;
  U.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parseLiveHeader(StringRef Line, uint32_t &Max, RowTexts &Out) {
  Scanner In(Line);
  return In.literal("HloLiveRange (max ") && In.number(Max, &Out.First) &&
         In.literal("):") && In.atEnd();
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, SequenceRow &R,
                       RowTexts &Out) {
  Scanner In(Line);
  if (!In.literal("    ") || !In.number(R.Ordinal, &Out.First) ||
      !In.literal(':') || !In.name(Out.Name) || !In.atEnd())
    return false;
  R.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, LiveRangeRow &R,
                       RowTexts &Out) {
  Scanner In(Line);
  if (!In.literal("    ") || !In.name(Out.Name) ||
      !parseIndex(In, T, R.Index, Out.Index) || !In.literal(':') ||
      !In.signedNumber(R.Start, &Out.First) || !In.literal('-') ||
      !In.signedNumber(R.End, &Out.Second) || !In.atEnd())
    return false;
  R.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parsePeakHeader(StringRef Line, int32_t &Step, RowTexts &Out) {
  Scanner In(Line);
  return In.literal("  Live ranges at ") && In.signedNumber(Step, &Out.First) &&
         In.literal(" (peak):") && In.atEnd();
}

bool hlobuf::parseLine(StringRef Line, HloTables &T, PeakRow &R,
                       RowTexts &Out) {
  Scanner In(Line);
  if (!In.literal("    ") || !In.name(Out.Name))
    return false;
  R.Form = PeakForm::Name;
  if (In.front() == '{') {
    if (!parseIndex(In, T, R.Index, Out.Index))
      return false;
    R.Form = PeakForm::Indexed;
  }
  if (!In.literal(": ") || !In.number(R.Bytes, &Out.First) ||
      !In.literal(" bytes"))
    return false;
  if (In.literal(" (cumulative: ")) {
    if (R.Form != PeakForm::Indexed || !In.number(R.Cumulative, &Out.Second) ||
        !In.literal(" bytes)"))
      return false;
    R.Form = PeakForm::Cumulative;
  }
  R.Name = T.Names.intern(Out.Name);
  return In.atEnd();
}

/// A number whose thousands are separated by spaces.
static bool parseSpaced(StringRef Text, uint64_t &Value) {
  SmallVector<StringRef, 8> Groups;
  Text.split(Groups, ' ');
  std::string Digits;
  for (size_t I = 0; I != Groups.size(); ++I) {
    if (I == 0 ? Groups[I].size() > 3 : Groups[I].size() != 3)
      return false;
    Digits += Groups[I];
  }
  Scanner In(Digits);
  return In.number(Value) && In.atEnd();
}

bool hlobuf::parseStackHeader(StringRef Line, uint64_t &Total, RowTexts &Out) {
  if (!Line.consume_front("  Stack trace breakdown for peak usage: ") ||
      !Line.consume_back(" bytes"))
    return false;
  Out.First = Line;
  return parseSpaced(Line, Total);
}

static bool parsePercent(StringRef Text, int32_t &Tenths) {
  if (Text == "nan" || Text == "-nan") {
    Tenths = Text == "nan" ? -1 : -2;
    return true;
  }
  int32_t Whole = 0;
  int32_t Fraction = 0;
  Scanner In(Text);
  if (!In.number(Whole) || !In.literal('.') || In.rest().size() != 1 ||
      !In.number(Fraction) || Whole > 100)
    return false;
  Tenths = Whole * 10 + Fraction;
  return true;
}

/// Cuts ` (P%, total: A bytes, current: B bytes, remaining: C bytes)` off the
/// right end.
static bool cutStackNumbers(StringRef &Line, StackTexts &Texts) {
  if (!Line.consume_back(" bytes)"))
    return false;
  auto Cut = [&](StringRef Separator, StringRef &Field) {
    size_t Position = Line.rfind(Separator);
    if (Position == StringRef::npos)
      return false;
    Field = Line.drop_front(Position + Separator.size());
    Line = Line.take_front(Position);
    return true;
  };
  return Cut(" bytes, remaining: ", Texts.Remaining) &&
         Cut(" bytes, current: ", Texts.Current) &&
         Cut("%, total: ", Texts.Total) && Cut(" (", Texts.Percent);
}

bool hlobuf::parseLine(StringRef Line, HloTables &, StackNode &N,
                       StackTexts &Out) {
  StringRef Rest = Line;
  if (!cutStackNumbers(Rest, Out) ||
      !parsePercent(Out.Percent, N.PercentTenths))
    return false;
  StringRef Remaining = Out.Remaining;
  bool Minus = Remaining.consume_front("-");
  uint64_t Left = 0;
  if (!parseSpaced(Out.Total, N.Total) ||
      !parseSpaced(Out.Current, N.Current) || !parseSpaced(Remaining, Left) ||
      Left > INT64_MAX)
    return false;
  N.Remaining = static_cast<int64_t>(Minus ? -Left : Left);

  if (!Rest.consume_front("  "))
    return false;
  N.Depth = 1;
  while (Rest.consume_front("\u2502   ") || Rest.consume_front("    "))
    ++N.Depth;
  bool Connector = Rest.consume_front("\u251c\u2500\u2500 ") ||
                   Rest.consume_front("\u2514\u2500\u2500 ");
  if (Connector ? N.Depth < 2 : N.Depth != 1 || !Rest.consume_front("  "))
    return false;
  Out.Name = Rest;
  N.NameOffset = static_cast<uint32_t>(Rest.data() - Line.data());
  N.NameSize = static_cast<uint32_t>(Rest.size());
  return true;
}
