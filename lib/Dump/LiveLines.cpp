// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used values, ranges, peak.

#include "Dump/Lines.h"

using namespace hlobuf;
using llvm::StringRef;

static bool parseIndex(Scanner &In, HloTables &T, ShapeIndex &Index,
                       StringRef &Text) {
  StringRef Before = In.rest();
  if (!T.Indices.parse(In, Index))
    return false;
  Text = Before.drop_back(In.rest().size());
  return true;
}

bool hlobuf::parseTotalLine(StringRef Line, uint64_t &Total,
                            std::optional<StringRef> &Human, RowTexts *Texts) {
  RowTexts Local;
  RowTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("Total bytes used: ") || !In.number(Total, &Out.First))
    return false;
  if (In.atEnd())
    return true;
  if (!In.literal(" (") || !In.rest().ends_with(")"))
    return false;
  Human = Out.Second = In.rest().drop_back(1);
  return true;
}

bool hlobuf::parsePositionLine(StringRef Line, HloTables &T, Position &P,
                               RowTexts *Texts) {
  RowTexts Local;
  RowTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("  ") || !In.name(Out.Name))
    return false;
  if (In.literal(' ') && !parseIndex(In, T, P.Index, Out.Index))
    return false;
  if (!In.atEnd())
    return false;
  P.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parseUseLine(StringRef Line, HloTables &T, Use &U,
                          RowTexts *Texts) {
  RowTexts Local;
  RowTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("  ") || !In.name(Out.Name) || !In.literal(", operand ") ||
      !In.number(U.Operand, &Out.First))
    return false;
  if (In.literal(' ') && !parseIndex(In, T, U.Index, Out.Index))
    return false;
  if (!In.atEnd())
    return false;
  U.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parseLiveHeader(StringRef Line, uint32_t &Max, RowTexts *Texts) {
  Scanner In(Line);
  return In.literal("HloLiveRange (max ") &&
         In.number(Max, Texts ? &Texts->First : nullptr) && In.literal("):") &&
         In.atEnd();
}

bool hlobuf::parseSequenceLine(StringRef Line, HloTables &T, SequenceRow &R,
                               RowTexts *Texts) {
  RowTexts Local;
  RowTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("    ") || !In.number(R.Ordinal, &Out.First) ||
      !In.literal(':') || !In.name(Out.Name) || !In.atEnd())
    return false;
  R.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parseRangeLine(StringRef Line, HloTables &T, LiveRangeRow &R,
                            RowTexts *Texts) {
  RowTexts Local;
  RowTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("    ") || !In.name(Out.Name) ||
      !parseIndex(In, T, R.Index, Out.Index) || !In.literal(':') ||
      !In.signedNumber(R.Start, &Out.First) || !In.literal('-') ||
      !In.signedNumber(R.End, &Out.Second) || !In.atEnd())
    return false;
  R.Name = T.Names.intern(Out.Name);
  return true;
}

bool hlobuf::parsePeakHeader(StringRef Line, int32_t &Step, RowTexts *Texts) {
  Scanner In(Line);
  return In.literal("  Live ranges at ") &&
         In.signedNumber(Step, Texts ? &Texts->First : nullptr) &&
         In.literal(" (peak):") && In.atEnd();
}

bool hlobuf::parsePeakLine(StringRef Line, HloTables &T, PeakRow &R,
                           PeakForm &Form, RowTexts *Texts) {
  RowTexts Local;
  RowTexts &Out = Texts ? *Texts : Local;
  Scanner In(Line);
  if (!In.literal("    ") || !In.name(Out.Name))
    return false;
  Form = PeakForm::Name;
  if (In.front() == '{') {
    if (!parseIndex(In, T, R.Index, Out.Index))
      return false;
    Form = PeakForm::Indexed;
  }
  if (!In.literal(": ") || !In.number(R.Bytes, &Out.First) ||
      !In.literal(" bytes"))
    return false;
  if (In.literal(" (cumulative: ")) {
    if (Form != PeakForm::Indexed || !In.number(R.Cumulative, &Out.Second) ||
        !In.literal(" bytes)"))
      return false;
    Form = PeakForm::Cumulative;
  }
  R.Name = T.Names.intern(Out.Name);
  return In.atEnd();
}

/// A number whose thousands are separated by spaces.
static bool parseSpaced(StringRef Text, uint64_t &Value) {
  llvm::SmallVector<StringRef, 8> Groups;
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

bool hlobuf::parseStackHeader(StringRef Line, uint64_t &Total,
                              RowTexts *Texts) {
  if (!Line.consume_front("  Stack trace breakdown for peak usage: ") ||
      !Line.consume_back(" bytes"))
    return false;
  if (Texts)
    Texts->First = Line;
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
    size_t At = Line.rfind(Separator);
    if (At == StringRef::npos)
      return false;
    Field = Line.drop_front(At + Separator.size());
    Line = Line.take_front(At);
    return true;
  };
  return Cut(" bytes, remaining: ", Texts.Remaining) &&
         Cut(" bytes, current: ", Texts.Current) &&
         Cut("%, total: ", Texts.Total) && Cut(" (", Texts.Percent);
}

bool hlobuf::parseStackLine(StringRef Line, StackNode &N, StackTexts *Texts) {
  StackTexts Local;
  StackTexts &Out = Texts ? *Texts : Local;
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
  N.Remaining =
      Minus ? -static_cast<int64_t>(Left) : static_cast<int64_t>(Left);

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
