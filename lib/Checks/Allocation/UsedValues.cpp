// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The used values are the placed values: the same ids. XLA collects the values
// of all allocations (buffer_assignment.cc ToString, 2019-09-09; ValuesToString
// since 2026-04-03).
// No exception is known. Multi-line value lines (2019-07 to 2019-09) are both
// at once and have nothing to compare.
//
// The first position of a value is the place that defines it: the constructor
// of HloValue puts it there (hlo_value.cc, since 2019), and SetPositions only
// appends. Further positions are at other instructions, because a value set is
// never asked for at another index of the defining instruction
// (HloDataflowAnalysis, 2017 on). Braces are printed alike in tag and position:
// both follow the instruction's shape. No exception is known.
//
// No value lists a position or a use twice. Positions are collected once for
// each (instruction, index) (HloDataflowAnalysis::Verify insists on it), uses
// once for each (user, operand, index) (HloValue::ComputeUses, hlo_value.cc).
// No exception is known.

#include "Checks/Check.h"
#include "Checks/Values/UsedRows.h"
#include <tuple>

using namespace hlobuf;
using llvm::StringRef;

/// The value line after which that of \p U is most likely missing: in the only
/// temp of its color, by id. Invalid for what belongs to other allocations.
static ValueId lineBefore(const CheckContext &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  Opcode Op = Ctx.opcode(Tag.Name);
  if (Op == Opcode::Constant || Op == Opcode::Parameter ||
      Ctx.time(Tag.Name) < 0 || Ctx.isLiveOut(U))
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
  AllocationId Found;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    if (!D.Allocations[I].Values.empty() || D.Allocations[I].PreallocatedTemp)
      continue;
    if (Found)
      return AllocationId();
    Found = AllocationId(I);
  }
  return Found;
}

/// \p U has no value line with its id.
static void reportUnplaced(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  ValueId Same = Ctx.findValue(Tag.Name, Tag.Index);
  UsedId Other = Same ? Ctx.usedOf(Same) : UsedId();
  bool SameTag = Other && D[Other].Tag.Name == Tag.Name &&
                 D[Other].Tag.Index.canonical() == Tag.Index.canonical();
  if (Same && !SameTag) {
    Diags
        .report(Ctx.places().value(D[Same]).Tag.Id,
                "value {} has id {} here, but id {} in 'Used values'",
                D.spell(Tag.Name, Tag.Index), D[Same].Tag.Id, Tag.Id)
        .note(Ctx.places().tag(D[U]).Id, "the other id is here")
        .about(Same);
    return;
  }
  Finding F =
      Diags.report(Ctx.places().tag(D[U]).Whole,
                   "used value {} is not in any allocation", D.spell(Tag));
  F.about(Tag.Name);
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
  Diags
      .report(Ctx.places().value(D[V]).Tag.Whole,
              "value {} is missing from 'Used values'", D.spell(Tag))
      .about(V);
}

static void checkListed(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  if (D.Values2019 == ValueForm::MultiLine)
    return; // the value lines are the used values
  for (uint32_t I = 0; I != D.Used.size(); ++I)
    if (!Ctx.valueOf(UsedId(I)))
      reportUnplaced(Ctx, Diags, UsedId(I));
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    if (!Ctx.usedOf(ValueId(I)))
      reportUnused(Ctx, Diags, ValueId(I));
}

/// The first position is not the definition.
static void reportFirst(const CheckContext &Ctx, Reporter &Diags, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  TagTexts Texts = Ctx.places().tag(D[U]);
  llvm::ArrayRef<Position> All = D.positions(D[U]);
  if (All.empty()) {
    Finding F = Diags.report(lastPositionRow(Ctx, U),
                             "{} has no positions, expected its definition {}",
                             Texts.Whole, D.spell(Tag.Name, Tag.Index));
    aboutUsed(Ctx, F, U).about(Tag.Name);
    return;
  }
  const Position &First = All.front();
  RowTexts Row = Ctx.places().row(First);
  StringRef Where =
      First.Name != Tag.Name || Row.Index.empty() ? Row.Name : Row.Index;
  Finding F = Diags.report(Where,
                           "the first position of {} is {}, expected its "
                           "definition {}",
                           Texts.Whole, D.spell(First.Name, First.Index),
                           D.spell(Tag.Name, Tag.Index));
  for (const Position &P : All.drop_front())
    if (P.Name == Tag.Name && P.Index.canonical() == Tag.Index.canonical()) {
      F.note(Ctx.places().line(P).ltrim(), "the definition is listed here");
      break;
    }
  F.note(Texts.Whole, "the value");
  aboutUsed(Ctx, F, U).about(Tag.Name);
}

static void checkDefinitions(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    const ValueTag &Tag = D.Used[I].Tag;
    llvm::ArrayRef<Position> All = D.positions(D.Used[I]);
    if (All.empty() || All.front().Name != Tag.Name ||
        All.front().Index != Tag.Index) {
      reportFirst(Ctx, Diags, UsedId(I));
      continue;
    }
    for (const Position &P : All.drop_front()) {
      if (P.Name != Tag.Name || P.Index.canonical() == Tag.Index.canonical())
        continue;
      Finding F = Diags.report(
          Ctx.places().line(P).ltrim(),
          "{} is listed at {}, a different part of the instruction "
          "that defines it",
          Ctx.places().tag(D.Used[I]).Whole, D.spell(P.Name, P.Index));
      aboutUsed(Ctx, F, UsedId(I)).about(Tag.Name);
    }
  }
}

template <typename Row>
static void report(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                   const char *Kind, const Row &First, const Row &Second) {
  Finding F =
      Diags.report(Ctx.places().line(Second).ltrim(), "{} lists this {} twice",
                   Ctx.places().tag(Ctx.dump()[U]).Whole, Kind);
  F.note(Ctx.places().line(First).ltrim(), "previously listed here");
  if (ValueId V = Ctx.valueOf(U))
    F.about(V);
}

/// Finds equal rows of one value; \p Sorted is scratch.
template <typename Row, typename KeyFn>
static void findEqual(const CheckContext &Ctx, Reporter &Diags, UsedId U,
                      const char *Kind, llvm::ArrayRef<Row> Rows,
                      std::vector<uint32_t> &Sorted, KeyFn Key) {
  if (Rows.size() < 2)
    return;
  Sorted.resize(Rows.size());
  for (uint32_t I = 0; I != Rows.size(); ++I)
    Sorted[I] = I;
  std::sort(Sorted.begin(), Sorted.end(), [&](uint32_t X, uint32_t Y) {
    return std::pair(Key(Rows[X]), X) < std::pair(Key(Rows[Y]), Y);
  });
  for (size_t I = 1; I != Sorted.size(); ++I)
    if (Key(Rows[Sorted[I - 1]]) == Key(Rows[Sorted[I]]))
      report(Ctx, Diags, U, Kind, Rows[Sorted[I - 1]], Rows[Sorted[I]]);
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

void hlobuf::checkUsedValues(const CheckContext &Ctx, Reporter &Diags) {
  checkListed(Ctx, Diags);
  checkDefinitions(Ctx, Diags);
  checkRepeated(Ctx, Diags);
}
