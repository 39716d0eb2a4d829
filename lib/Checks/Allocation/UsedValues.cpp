//===- Checks/Allocation/UsedValues.cpp ----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Checks/Values/UsedRows.h"
#include <tuple>

using namespace hlobuf;
using llvm::StringRef;

/// The value line after which that of \p U is most likely missing: in the only
/// temp of its color, by id. Invalid for what belongs to other allocations.
static ValueId lineBefore(const CheckContext &A, UsedId U) {
  const Dump &D = A.dump();
  const ValueTag &Tag = D[U].Tag;
  Opcode Op = A.opcode(Tag.Name);
  if (Op == Opcode::Constant || Op == Opcode::Parameter ||
      A.time(Tag.Name) < 0 || A.isLiveOut(U))
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
static void reportUnplaced(const CheckContext &A, Reporter &R, UsedId U) {
  const Dump &D = A.dump();
  const ValueTag &Tag = D[U].Tag;
  ValueId Same = A.findValue(Tag.Name, Tag.Index);
  UsedId Other = Same ? A.usedOf(Same) : UsedId();
  bool SameTag = Other && D[Other].Tag.Name == Tag.Name &&
                 D[Other].Tag.Index.canonical() == Tag.Index.canonical();
  if (Same && !SameTag) {
    R.report(A.places().value(D[Same]).Tag.Id,
             "value {} has id {} here, but id {} in 'Used values'",
             D.spell(Tag.Name, Tag.Index), D[Same].Tag.Id, Tag.Id)
        .note(A.places().tag(D[U]).Id, "the other id is here")
        .about(Same);
    return;
  }
  Finding F = R.report(A.places().tag(D[U]).Whole,
                       "used value {} is not in any allocation", D.spell(Tag));
  F.about(Tag.Name);
  // Where many lines are missing, looking for the place of each takes long.
  constexpr unsigned MaxHints = 20;
  if (R.count() > MaxHints)
    return;
  if (AllocationId Empty = emptyAllocation(D))
    F.note(A.places().line(D[Empty]), "its missing line may belong here")
        .about(Empty);
  else if (ValueId Before = lineBefore(A, U))
    F.note(A.places().line(D[Before]),
           "its missing line may belong next to this one");
}

/// \p V is not among the used values by id.
static void reportUnused(const CheckContext &A, Reporter &R, ValueId V) {
  const Dump &D = A.dump();
  const ValueTag &Tag = D[V].Tag;
  UsedId Same = A.findUsed(Tag.Name, Tag.Index);
  if (Same && !A.valueOf(Same))
    return; // Reported from the other side.
  R.report(A.places().value(D[V]).Tag.Whole,
           "value {} is missing from 'Used values'", D.spell(Tag))
      .about(V);
}

static void checkListed(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.Values2019 == ValueForm::MultiLine)
    return; // the value lines are the used values
  for (uint32_t I = 0; I != D.Used.size(); ++I)
    if (!A.valueOf(UsedId(I)))
      reportUnplaced(A, R, UsedId(I));
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    if (!A.usedOf(ValueId(I)))
      reportUnused(A, R, ValueId(I));
}

/// The first position is not the definition.
static void reportFirst(const CheckContext &A, Reporter &R, UsedId U) {
  const Dump &D = A.dump();
  const ValueTag &Tag = D[U].Tag;
  TagTexts Texts = A.places().tag(D[U]);
  llvm::ArrayRef<Position> All = D.positions(D[U]);
  if (All.empty()) {
    Finding F = R.report(lastPositionRow(A, U),
                         "{} has no positions, expected its definition {}",
                         Texts.Whole, D.spell(Tag.Name, Tag.Index));
    aboutUsed(A, F, U).about(Tag.Name);
    return;
  }
  const Position &First = All.front();
  RowTexts Row = A.places().row(First);
  StringRef Where =
      First.Name != Tag.Name || Row.Index.empty() ? Row.Name : Row.Index;
  Finding F = R.report(Where,
                       "the first position of {} is {}, expected its "
                       "definition {}",
                       Texts.Whole, D.spell(First.Name, First.Index),
                       D.spell(Tag.Name, Tag.Index));
  for (const Position &P : All.drop_front())
    if (P.Name == Tag.Name && P.Index.canonical() == Tag.Index.canonical()) {
      F.note(A.places().line(P).ltrim(), "the definition is listed here");
      break;
    }
  F.note(Texts.Whole, "the value");
  aboutUsed(A, F, U).about(Tag.Name);
}

static void checkDefinitions(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    const ValueTag &Tag = D.Used[I].Tag;
    llvm::ArrayRef<Position> All = D.positions(D.Used[I]);
    if (All.empty() || All.front().Name != Tag.Name ||
        All.front().Index != Tag.Index) {
      reportFirst(A, R, UsedId(I));
      continue;
    }
    for (const Position &P : All.drop_front()) {
      if (P.Name != Tag.Name || P.Index.canonical() == Tag.Index.canonical())
        continue;
      Finding F =
          R.report(A.places().line(P).ltrim(),
                   "{} is listed at {}, a different part of the instruction "
                   "that defines it",
                   A.places().tag(D.Used[I]).Whole, D.spell(P.Name, P.Index));
      aboutUsed(A, F, UsedId(I)).about(Tag.Name);
    }
  }
}

template <typename Row>
static void report(const CheckContext &A, Reporter &R, UsedId U,
                   const char *Kind, const Row &First, const Row &Second) {
  Finding F =
      R.report(A.places().line(Second).ltrim(), "{} lists this {} twice",
               A.places().tag(A.dump()[U]).Whole, Kind);
  F.note(A.places().line(First).ltrim(), "previously listed here");
  if (ValueId V = A.valueOf(U))
    F.about(V);
}

/// Finds equal rows of one value; \p Sorted is scratch.
template <typename Row, typename KeyFn>
static void findEqual(const CheckContext &A, Reporter &R, UsedId U,
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
      report(A, R, U, Kind, Rows[Sorted[I - 1]], Rows[Sorted[I]]);
}

static void checkRepeated(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  std::vector<uint32_t> Sorted;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    findEqual(A, R, UsedId(I), "position", D.positions(D.Used[I]), Sorted,
              [](const Position &P) {
                return std::pair(P.Name.index(), P.Index.canonical().bits());
              });
    findEqual(A, R, UsedId(I), "use", D.uses(D.Used[I]), Sorted,
              [](const Use &U) {
                return std::tuple(U.Name.index(), U.Operand,
                                  U.Index.canonical().bits());
              });
  }
}

namespace hlobuf {
void checkUsedValues(const CheckContext &A, Reporter &R) {
  checkListed(A, R);
  checkDefinitions(A, R);
  checkRepeated(A, R);
}
} // namespace hlobuf
