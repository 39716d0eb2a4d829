// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is printed as `<id name{index} (phi) @color>` on its value line and
// on its block of the used values; both come from one HloValue
// (HloValue::ToShortString, hlo_value.cc, 2019-09-09), so they are the same.
// The block `reused by buffers of a different color` (2026-06-17) repeats the
// tag once more. `{index}` is printed if and only if the instruction's shape
// is a tuple, also for the whole tuple. No exception is known.

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

/// A text that shows what differs between two tags: the field, or the whole
/// tag where the field was not printed.
static StringRef field(StringRef Field, const TagTexts &Tag) {
  return Field.empty() ? Tag.Whole : Field;
}

/// Reports an id that belongs to another value. True if that is what is wrong.
static bool checkIds(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                     ValueId V) {
  const Dump &D = Ctx.dump();
  const ValueTag &Used = D[U].Tag;
  const ValueTag &Line = D[V].Tag;
  UsedId UsedTwin = Ctx.findUsed(Line.Name, Line.Index);
  ValueId LineTwin = Ctx.findValue(Used.Name, Used.Index);
  if (UsedTwin && D[UsedTwin].Tag.Id != Line.Id) {
    Diags
        .report(Ctx.places().value(D[V]).Tag.Id,
                "{} has id {} here, but {} in 'Used values'",
                D.spell(Line.Name, Line.Index), Line.Id, D[UsedTwin].Tag.Id)
        .note(Ctx.places().tag(D[UsedTwin]).Whole, "its used value")
        .about(V)
        .about(Line.Name);
    return true;
  }
  if (LineTwin && D[LineTwin].Tag.Id != Used.Id) {
    Diags
        .report(Ctx.places().tag(D[U]).Id,
                "{} has id {} here, but {} on its value line",
                D.spell(Used.Name, Used.Index), Used.Id, D[LineTwin].Tag.Id)
        .note(Ctx.places().value(D[LineTwin]).Tag.Whole, "its value line")
        .about(LineTwin)
        .about(Used.Name);
    return true;
  }
  return false;
}

/// The tag of \p U is the odd one if its first position agrees with \p V.
static bool usedIsOdd(const Dump &D, UsedId U, ValueId V) {
  llvm::ArrayRef<Position> All = D.positions(D[U]);
  return !All.empty() && All.front().Name == D[V].Tag.Name &&
         All.front().Index == D[V].Tag.Index;
}

static void compareTags(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                        ValueId V) {
  const Dump &D = Ctx.dump();
  const ValueTag &Used = D[U].Tag;
  const ValueTag &Line = D[V].Tag;
  if (Used == Line || checkIds(Ctx, Diags, U, V))
    return;
  bool Odd = usedIsOdd(D, U, V);
  TagTexts Wrong = Odd ? Ctx.places().tag(D[U]) : Ctx.places().value(D[V]).Tag;
  TagTexts Other = Odd ? Ctx.places().value(D[V]).Tag : Ctx.places().tag(D[U]);
  StringRef Where = Wrong.Whole;
  if (Used.Name != Line.Name)
    Where = Wrong.Name;
  else if (Used.Index != Line.Index)
    Where = field(Wrong.Index, Wrong);
  else if (Used.Phi != Line.Phi)
    Where = field(Wrong.Phi, Wrong);
  else
    Where = field(Wrong.Color, Wrong);
  Diags
      .report(Where, "the tag of value {} is {} here, but {} {}", Used.Id,
              Wrong.Whole, Other.Whole,
              Odd ? "on its value line" : "in 'Used values'")
      .note(Other.Whole, "the same value")
      .about(V)
      .about(Used.Name)
      .about(Line.Name);
}

/// `{index}` if and only if the instruction's shape is a tuple.
static void checkBraces(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  const Instruction *I = Ctx.instruction(D[U].Tag.Name);
  if (!I || !I->Result ||
      D.Shapes[I->Result].isTuple() == D[U].Tag.Index.printed())
    return;
  TagTexts Tag = Ctx.places().tag(D[U]);
  Finding F = Diags.report(field(Tag.Index, Tag),
                           "{} has {} index, but its shape is {} tuple",
                           Tag.Whole, Tag.Index.empty() ? "no" : "an",
                           Tag.Index.empty() ? "a" : "not a");
  F.note(Ctx.places().text(*I).ShapeText, "its shape").about(D[U].Tag.Name);
  if (ValueId V = Ctx.valueOf(U))
    F.about(V);
}

static void checkReuseRow(const CheckContext &Ctx, Reporter &Diags,
                          const ReusedValue &Row) {
  const Dump &D = Ctx.dump();
  ValueId V = Ctx.findValue(Row.Tag.Name, Row.Tag.Index);
  if (V && D[V].Tag == Row.Tag && Row.Color == Row.Tag.Color)
    return;
  TagTexts Tag = Ctx.places().tag(Row);
  if (!V || D[V].Tag != Row.Tag) {
    Finding F =
        Diags.report(Tag.Whole, "no value line has the tag {}", Tag.Whole);
    F.about(Row.Tag.Name);
    if (V)
      F.note(Ctx.places().value(D[V]).Tag.Whole, "the closest one").about(V);
    return;
  }
  Diags
      .report(Ctx.places().line(Row).take_back(1), "{} is listed with color {}",
              Tag.Whole, Row.Color)
      .about(V);
}

void hlobuf::checkValueTag(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    if (ValueId V = Ctx.valueOf(UsedId(I)); V && D[V].Tag != D.Used[I].Tag)
      compareTags(Ctx, Diags, UsedId(I), V);
    else
      checkBraces(Ctx, Diags, UsedId(I));
  }
  for (const ReusedValue &Row : D.Reused)
    checkReuseRow(Ctx, Diags, Row);
  if (!D.complete(Section::Texts))
    Diags.notCheckedWithout(Ctx, Section::Texts);
}
