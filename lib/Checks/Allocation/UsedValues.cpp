//===- Checks/Allocation/UsedValues.cpp -----------------------------------===//
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
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

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

namespace hlobuf {
void checkUsedValues(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.Values2019 == ValueForm::MultiLine) {
    R.notApplicable(
        "dumps from 2019 have no 'Used values' apart from the value lines");
    return;
  }
  for (uint32_t I = 0; I != D.Used.size(); ++I)
    if (!A.valueOf(UsedId(I)))
      reportUnplaced(A, R, UsedId(I));
  for (uint32_t I = 0; I != D.Values.size(); ++I)
    if (!A.usedOf(ValueId(I)))
      reportUnused(A, R, ValueId(I));
}
} // namespace hlobuf
