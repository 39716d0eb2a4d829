// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The used values are the placed values: the same ids. XLA collects the values
// of all allocations (buffer_assignment.cc ToString, 2019-09-09; ValuesToString
// since 2026-04-03).
// No exception is known.
//
// The first position of a value is the place that defines it: the constructor
// of HloValue puts it there (hlo_value.cc, since 2019), and SetPositions only
// appends. Further positions are at other instructions, because a value set is
// never asked for at another index of the defining instruction
// (HloDataflowAnalysis, 2017 on). Braces are printed alike in tag and position:
// both follow the instruction's shape. No exception is known.
//
// A value is printed as `<id name{index} (phi) @color>` on its value line and
// on its block of the used values; both come from one HloValue
// (HloValue::ToShortString, hlo_value.cc, 2019-09-09), so they are the same.
// The block `reused by buffers of a different color` (2026-06-17) repeats the
// tag once more. No exception is known.
//
// The text after ` from instruction:` is the defining instruction printed by
// HloInstruction::ToString (hlo_value.cc, 2021-09-23 on): it begins with the
// value's own name, never with `ROOT `, and is the same, byte for byte, for
// every value that the instruction defines. No exception is known.
//
// No value lists a position or a use twice, and since 2026-06-02 one without
// uses prints `(none)`. Positions are collected once for
// each (instruction, index) (HloDataflowAnalysis::Verify insists on it), uses
// once for each (user, operand, index) (HloValue::ComputeUses, hlo_value.cc).
// No exception is known.

#include "Checks/Restated/RestatedSection.h"
#include "Checks/Values/UsedRows.h"
#include <tuple>

using namespace hlobuf;

/// The value line after which that of \p U is most likely missing: in the only
/// temp of its color, by id. Invalid for what belongs to other allocations.
static ValueId lineBefore(const CheckContext &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  Opcode Op = Ctx.opcode(Tag.Name);
  if (isGiven(Op) || Ctx.time(Tag.Name) < 0 || Ctx.isLiveOut(U))
    return ValueId();
  const Allocation *Temp = nullptr;
  for (const Allocation &Alloc : D.Allocations) {
    if (!Alloc.PreallocatedTemp || Alloc.color() != Tag.Color)
      continue;
    if (Temp)
      return ValueId();
    Temp = &Alloc;
  }
  if (!Temp || Temp->Values.empty())
    return ValueId();
  const auto *Behind = llvm::partition_point(
      D.values(*Temp), [&](const Value &V) { return V.Tag.Id < Tag.Id; });
  auto Before = static_cast<uint32_t>(Behind - D.values(*Temp).begin());
  return ValueId(Temp->Values.Begin + (Before == 0 ? 0 : Before - 1));
}

/// The only allocation that lacks a value; invalid if there is not just one.
static AllocationId emptyAllocation(const Dump &D) {
  AllocationId Empty;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    if (!D.Allocations[I].Values.empty() || D.Allocations[I].PreallocatedTemp)
      continue;
    if (Empty)
      return AllocationId();
    Empty = AllocationId(I);
  }
  return Empty;
}

/// A text that shows what differs between two tags: the field, or the whole
/// tag where the field was not printed.
static StringRef differingField(const TagTexts &Texts, const ValueTag &X,
                                const ValueTag &Y) {
  StringRef Field = X.Id != Y.Id         ? Texts.Id
                    : X.Name != Y.Name   ? Texts.Name
                    : X.Index != Y.Index ? Texts.Index
                    : X.Phi != Y.Phi     ? Texts.Phi
                                         : Texts.Color;
  return Field.empty() ? Texts.Whole : Field;
}

/// Two tags of one value. That of the used value is the odd one if its first
/// position agrees with the value line, but not with itself.
static void compareTags(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                        ValueId V) {
  const Dump &D = Ctx.dump();
  ArrayRef<Position> All = D.positions(D[U]);
  bool Odd = !All.empty() && All.front().Name == D[V].Tag.Name &&
             All.front().Index == D[V].Tag.Index && D[U].Tag.Id == D[V].Tag.Id;
  TagTexts Used = Ctx.places().tag(D[U]);
  TagTexts Line = Ctx.places().value(D[V]).Tag;
  const TagTexts &Wrong = Odd ? Used : Line;
  const TagTexts &Other = Odd ? Line : Used;
  Diags
      .report({differingField(Wrong, D[U].Tag, D[V].Tag), V, D[U].Tag.Name},
              "the tag of value {} is {} here, but {} {}", D[V].Tag.Id,
              Wrong.Whole, Other.Whole,
              Odd ? "on its value line" : "in 'Used values'")
      .note(Other.Whole, "the same value")
      .about(D[V].Tag.Name);
}

/// \p U has no value line with its id.
static void reportUnplaced(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  ValueId Same = Ctx.findValue(Tag.Name, Tag.Index);
  UsedId Other = Same ? Ctx.usedOf(Same) : UsedId();
  bool SameTag = Other && D[Other].Tag.Name == Tag.Name &&
                 D[Other].Tag.Index.canonical() == Tag.Index.canonical();
  if (Same && !SameTag)
    return compareTags(Ctx, Diags, U, Same);
  Finding F =
      Diags.report({Ctx.places().tag(D[U]).Whole, Tag.Name},
                   "used value {} is not in any allocation", D.spell(Tag));
  // Where many lines are missing, looking for the place of each takes long.
  constexpr unsigned MaxHints = 20;
  if (Diags.count() > MaxHints)
    return;
  if (AllocationId Empty = emptyAllocation(D))
    F.note(Ctx.places().line(D[Empty]), "its missing line may belong here")
        .about(Empty);
  else if (ValueId Before = lineBefore(Ctx, U))
    F.note(Ctx.places().line(D[Before]),
           "its missing line may belong next to this one");
}

/// \p V is not among the used values by id.
static void reportUnused(const CheckContext &Ctx, Reporter &Diags, ValueId V) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[V].Tag;
  UsedId Same = Ctx.findUsed(Tag.Name, Tag.Index);
  if (Same && !Ctx.valueOf(Same))
    return; // Reported from the other side.
  Diags.report({Ctx.places().value(D[V]).Tag.Whole, V},
               "value {} is missing from 'Used values'", D.spell(Tag));
}

static void checkListed(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (UsedId U : ids<UsedId>(D.Used.size()))
    if (!Ctx.valueOf(U))
      reportUnplaced(Ctx, Diags, U);
  for (ValueId V : ids<ValueId>(D.Values.size()))
    if (!Ctx.usedOf(V))
      reportUnused(Ctx, Diags, V);
}

/// The first position is not the definition.
static void reportFirst(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  ArrayRef<Position> All = D.positions(D[U]);
  StringRef Where = lastPositionRow(Ctx, U);
  if (!All.empty()) {
    RowTexts Row = Ctx.places().row(All.front());
    Where = All.front().Name != Tag.Name || Row.Index.empty() ? Row.Name
                                                              : Row.Index;
  }
  Diags.report({Where, subjectOf(Ctx, U), Tag.Name},
               "the first position of {} is {}, expected its definition {}",
               Ctx.places().tag(D[U]).Whole,
               All.empty() ? "missing"
                           : D.spell(All.front().Name, All.front().Index),
               D.spell(Tag.Name, Tag.Index));
}

static void checkDefinitions(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    const ValueTag &Tag = D.Used[I].Tag;
    ArrayRef<Position> All = D.positions(D.Used[I]);
    if (All.empty() || All.front().Name != Tag.Name ||
        All.front().Index != Tag.Index) {
      reportFirst(Ctx, Diags, UsedId(I));
      continue;
    }
    for (const Position &P : All.drop_front()) {
      if (P.Name != Tag.Name || P.Index.canonical() == Tag.Index.canonical())
        continue;
      Diags.report(
          {Ctx.places().line(P).ltrim(), subjectOf(Ctx, UsedId(I)), Tag.Name},
          "{} is listed at {}, a different part of the instruction "
          "that defines it",
          Ctx.places().tag(D.Used[I]).Whole, D.spell(P.Name, P.Index));
    }
  }
}

/// Finds equal rows of one value; \p Sorted is scratch.
template <typename Row, typename KeyFn>
static void findEqual(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                      const char *Kind, ArrayRef<Row> Rows,
                      std::vector<uint32_t> &Sorted, KeyFn Key) {
  if (Rows.size() < 2)
    return;
  Sorted.resize(Rows.size());
  for (uint32_t I = 0; I != Rows.size(); ++I)
    Sorted[I] = I;
  std::ranges::stable_sort(Sorted, {},
                           [&](uint32_t I) { return Key(Rows[I]); });
  for (size_t I = 1; I != Sorted.size(); ++I)
    if (Key(Rows[Sorted[I - 1]]) == Key(Rows[Sorted[I]]))
      Diags
          .report(
              {Ctx.places().line(Rows[Sorted[I]]).ltrim(), subjectOf(Ctx, U)},
              "{} lists this {} twice", Ctx.places().tag(Ctx.dump()[U]).Whole,
              Kind)
          .note(Ctx.places().line(Rows[Sorted[I - 1]]).ltrim(),
                "previously listed here");
}

static void checkRepeated(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::vector<uint32_t> Sorted;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    findEqual(Ctx, Diags, UsedId(I), "position", D.positions(D.Used[I]), Sorted,
              [](const Position &P) {
                return std::pair(P.Name.index(), P.Index.canonical().bits());
              });
    findEqual(Ctx, Diags, UsedId(I), "use", D.uses(D.Used[I]), Sorted,
              [](const Use &U) {
                return std::tuple(U.Name.index(), U.Operand,
                                  U.Index.canonical().bits());
              });
  }
}

static void checkReuseRow(const CheckContext &Ctx, Reporter &Diags,
                          const ReusedValue &Row) {
  const Dump &D = Ctx.dump();
  ValueId V = Ctx.findValue(Row.Tag.Name, Row.Tag.Index);
  bool SameTag = V && D[V].Tag == Row.Tag;
  if (SameTag && Row.Color == Row.Tag.Color)
    return;
  StringRef Tag = Ctx.places().tag(Row).Whole;
  Finding F = SameTag
                  ? Diags.report(Ctx.places().line(Row).take_back(1),
                                 "{} is listed with color {}", Tag, Row.Color)
                  : Diags.report(Tag, "no value line has the tag {}", Tag);
  if (V)
    F.note(Ctx.places().value(D[V]).Tag.Whole, "the closest one").about(V);
  F.about(Row.Tag.Name);
}

static void checkTags(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Used.size(); ++I)
    if (ValueId V = Ctx.valueOf(UsedId(I)); V && D[V].Tag != D.Used[I].Tag)
      compareTags(Ctx, Diags, UsedId(I), V);
  for (const ReusedValue &Row : D.Reused)
    checkReuseRow(Ctx, Diags, Row);
}

/// The text begins with the name of the value's instruction.
static bool checkName(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  StringRef Name = D.Names[D[U].Tag.Name];
  StringRef Rest = D.text(D[U]);
  Rest.consume_front("%");
  StringRef Stated = Rest.take_until([](char C) { return C == ' '; });
  if (Stated == Name)
    return true;
  Diags
      .report({Stated, subjectOf(Ctx, U), D[U].Tag.Name},
              "the text describes {}, but the value is defined by {}", Stated,
              Name)
      .note(Ctx.places().tag(D[U]).Whole, "the value");
  return false;
}

/// All values of one instruction have the same text. The first that is there
/// twice is taken for the right one.
static void compareTexts(const CheckContext &Ctx, Reporter &Diags,
                         ArrayRef<uint32_t> Group) {
  const Dump &D = Ctx.dump();
  auto Text = [&](uint32_t U) { return D.text(D.Used[U]); };
  uint32_t Right = Group.front();
  if (llvm::all_of(Group, [&](uint32_t U) { return Text(U) == Text(Right); }))
    return;
  for (uint32_t U : llvm::reverse(Group))
    if (llvm::count_if(
            Group, [&](uint32_t Other) { return Text(Other) == Text(U); }) > 1)
      Right = U;
  StringRef First = Text(Right);
  for (uint32_t U : Group) {
    StringRef Text = D.text(D.Used[U]);
    if (Text == First)
      continue;
    StringRef Own = differentText(Text, First);
    StringRef Shared = differentText(First, Text);
    NameId Name = D.Used[U].Tag.Name;
    Diags
        .report({Own, subjectOf(Ctx, UsedId(U)), Name},
                "the text of {} says '{}' here, but '{}' at {}", D.Names[Name],
                Own.take_front(80), Shared.take_front(80),
                Ctx.places().tag(D.Used[Right]).Whole)
        .note(Shared, "the other text");
  }
}

static void checkTexts(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::vector<bool> Wrong(D.Names.size(), false);
  for (uint32_t U = 0; U != D.Used.size(); ++U)
    if (D.Used[U].TextNamesOther && !checkName(Ctx, Diags, UsedId(U)))
      Wrong[D.Used[U].Tag.Name.index()] = true;
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name) {
    ArrayRef<uint32_t> Group = Ctx.usedOfInstruction(NameId(Name));
    if (Group.size() > 1 && !Wrong[Name])
      compareTexts(Ctx, Diags, Group);
  }
}

/// A value without uses says so, in dumps where any does, and in new ones.
static void checkNone(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  if (!Ctx.release().since(Release::NoneLines) &&
      llvm::none_of(D.Used, [](const UsedValue &U) { return U.PrintedNone; }))
    return;
  for (auto [I, U] : llvm::enumerate(D.Used)) {
    if (!D.uses(U).empty() || U.PrintedNone || U.UsesUninitialized)
      continue;
    Diags.report({lastUseRow(Ctx, UsedId(I)), subjectOf(Ctx, UsedId(I))},
                 "{} has neither uses nor '(none)'", Ctx.places().tag(U).Whole);
  }
}

void hlobuf::checkUsedValues(const CheckContext &Ctx, Reporter &Diags) {
  checkListed(Ctx, Diags);
  checkTags(Ctx, Diags);
  checkDefinitions(Ctx, Diags);
  checkRepeated(Ctx, Diags);
  checkNone(Ctx, Diags);
  if (Ctx.dump().complete(Section::Texts))
    checkTexts(Ctx, Diags);
  else
    Diags.notCheckedWithout(Ctx, Section::Texts);
}
