//===- Checks/Ranges/RangeEnd.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A live range ends at the last step that holds or reads its value
// (hlo_live_range.cc CalculateBufferStartEndMap, since 2021-04-07), unless one
// of these explains the end:
//   - the value is part of the ENTRY root: the end of the program;
//   - a later value of the same place begins there: ranges of values that must
//     alias are cut and joined (NormalizeAliasedBuffers, since 2022-06-24);
//   - it took over the end of an earlier value of the same place (the same);
//   - it is part of the root of a loop's or branch's computation, which ends
//     one step later, or later still if effects are scheduled after the root;
//   - it belongs to an asynchronous computation, which lasts to its done.
// The last four need control flow or declared aliasing; without, only the
// first one holds. Which computation an instruction belongs to is known from
// the module alone, hence a warning. Rules before 2022-06-24 were others.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/LastSteps.h"
#include "Facts/Occupancy.h"

using namespace hlobuf;

namespace {
class RangeEnd {
public:
  RangeEnd(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()), Plain(A.isPlain()), Ends(A) {}

  void run();

private:
  /// A value with a live range. Sorted by place, then by range.
  struct Entry {
    ValueId V;
    UsedId U;
    uint32_t Row;
    LastStepsOf Steps;
    /// Of V: nearly all comparisons end here.
    AllocationId Owner;
    uint64_t Offset;
  };
  using Group = llvm::ArrayRef<Entry>;

  /// False if a position or reader is not in the sequence.
  bool collect();
  const LiveRangeRow &row(const Entry &E) const { return D.Ranges[E.Row]; }
  bool lessByPlace(const Entry &E, const Entry &F) const;
  void checkGroup(Group Same);
  void checkPhis(Group Same);
  bool isExplained(const Entry &E, Group Later, bool BeforeConditional);
  bool wasLast(const std::vector<uint32_t> &Before, int32_t Step) const {
    return Before[static_cast<size_t>(Step)] == GroupNumber;
  }
  bool mayBeInRoot(const Entry &E) const;
  bool isUnreadRoot(const Entry &E) const;
  void reportRoot(const Entry &E);
  void report(const Entry &E, Group Later);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  bool Plain;
  LastSteps Ends;
  std::vector<Entry> Entries;
  /// By step: the last group in which a value seen so far is last held or read
  /// there, or held there. Later values of its place may have taken that over.
  std::vector<uint32_t> LastBefore, HeldBefore;
  uint32_t GroupNumber = 0;
};
} // namespace

bool RangeEnd::lessByPlace(const Entry &E, const Entry &F) const {
  if (E.Owner != F.Owner || E.Offset != F.Offset)
    return std::tie(E.Owner, E.Offset) < std::tie(F.Owner, F.Offset);
  auto Key = [&](const Entry &Of) {
    const Value &V = D[Of.V];
    const LiveRangeRow &Row = row(Of);
    return std::tuple(V.Size, Row.Start, Row.End, Of.Row);
  };
  return Key(E) < Key(F);
}

bool RangeEnd::collect() {
  Entries.reserve(D.Ranges.size());
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    UsedId U = A.findUsed(D.Ranges[I].Name, D.Ranges[I].Index);
    ValueId V = U ? A.valueOf(U) : ValueId();
    if (!V)
      continue;
    Entries.push_back({V, U, I, Ends[U], D[V].Owner, D[V].Offset});
    if (!Entries.back().Steps.AllKnown)
      return false;
  }
  llvm::sort(Entries,
             [&](const Entry &E, const Entry &F) { return lessByPlace(E, F); });
  return true;
}

/// True if something but the value's own reads explains its end. \p Later are
/// the values that begin after it at the same place.
bool RangeEnd::isExplained(const Entry &E, Group Later,
                           bool BeforeConditional) {
  int32_t End = row(E).End;
  // Ranges are sorted by start: the first that starts at End, if any.
  const Entry *Next = llvm::partition_point(
      Later, [&](const Entry &F) { return row(F).Start < End; });
  bool Cut = Next != Later.end() && row(*Next).Start == End;
  if (Cut && (!Plain || End < E.Steps.Last))
    return true;
  if (Plain || End < E.Steps.Last)
    return false;
  if (wasLast(LastBefore, End) || Ends.mayEndAsync(End))
    return true;
  // The root of a computation. A branch may be followed by any instruction of
  // the next one, but the conditional's result has the place of each branch's.
  return (BeforeConditional || Ends.mayEndComputation(End)) &&
         (wasLast(HeldBefore, End - 1) || mayBeInRoot(E));
}

/// True if nothing reads what the last holder of \p E defines: it may be a root
/// that effects follow, which no operand orders before it.
bool RangeEnd::mayBeInRoot(const Entry &E) const {
  if (E.Steps.Held < 0 || E.Steps.Held != E.Steps.Last)
    return false;
  NameId Holder = D.Sequence[static_cast<size_t>(E.Steps.Held)].Name;
  UsedId Root = A.valueAt(Holder, ShapeIndex::root());
  return Root && lastUse(A, Root).value_or(-1) <= E.Steps.Held;
}

void RangeEnd::checkGroup(Group Same) {
  ++GroupNumber;
  size_t Conditionals = Same.size();
  while (Conditionals != 0 &&
         A.opcode(row(Same[Conditionals - 1]).Name) != Opcode::Conditional)
    --Conditionals;
  for (size_t I = 0; I != Same.size(); ++I) {
    const Entry &E = Same[I];
    LastBefore[static_cast<size_t>(E.Steps.Last)] = GroupNumber;
    LastBefore[static_cast<size_t>(E.Steps.Sure)] = GroupNumber;
    HeldBefore[static_cast<size_t>(E.Steps.Held)] = GroupNumber;
    int32_t End = row(E).End;
    const Allocation &Owner = D[D[E.V].Owner];
    bool OfCaller = Owner.isParameter() && !Owner.MaybeLiveOut;
    if (End == A.steps() || OfCaller)
      continue;
    if (End == E.Steps.Last || End == E.Steps.Sure) {
      if (isUnreadRoot(E))
        reportRoot(E);
      continue;
    }
    Group Later = Same.drop_front(I + 1);
    if (!isExplained(E, Later, I + 1 < Conditionals))
      report(E, Later);
    else
      R.exempt("explained-end");
  }
}

/// True if nothing reads or holds \p E, and its instruction would have been
/// removed for that, were it not the root of a computation.
bool RangeEnd::isUnreadRoot(const Entry &E) const {
  const UsedValue &U = D[E.U];
  Opcode Op = A.opcode(U.Tag.Name);
  return (Op == Opcode::Tuple || Op == Opcode::Fusion ||
          Op == Opcode::Compare) &&
         U.Tag.Index.isRoot() && !U.Tag.Phi && U.Uses.empty() &&
         !U.UsesUninitialized && U.Positions.size() == 1;
}

void RangeEnd::reportRoot(const Entry &E) {
  const LiveRangeRow &Row = row(E);
  R.report(A.places().row(Row).Second,
           "live range of {} ends at step {}, but nothing reads the value: "
           "'{}' must be a computation's root, whose value lives longer",
           D.spell(D[E.V].Tag), Row.End, D.Names[Row.Name])
      .note(A.places().line(D[E.U]), "{} has no uses", D.spell(D[E.V].Tag))
      .about(E.V);
}

/// A phi takes over the place of what enters it: a value there ends where the
/// phi starts.
void RangeEnd::checkPhis(Group Same) {
  // Sorted ends, only built where there is a phi.
  llvm::SmallVector<int32_t, 16> Sorted;
  for (const Entry &E : Same) {
    const LiveRangeRow &Phi = row(E);
    if (!D[E.V].Tag.Phi)
      continue;
    if (Sorted.empty()) {
      for (const Entry &F : Same)
        Sorted.push_back(row(F).End);
      llvm::sort(Sorted);
    }
    auto [First, Last] =
        std::equal_range(Sorted.begin(), Sorted.end(), Phi.Start);
    if (Last - First > (Phi.End == Phi.Start))
      continue;
    // The range that was meant to reach it: the last one that begins before.
    const Entry *Before = nullptr;
    for (const Entry &F : R.count() < Reporter::MaxKept ? Same : Group())
      if (&F != &E && row(F).Start <= Phi.Start &&
          (!Before || row(F).End > row(*Before).End))
        Before = &F;
    Finding F = R.report(A.places().row(Phi).First,
                         "live range of {} starts at step {}, where no live "
                         "range at the same place ends",
                         D.spell(D[E.V].Tag), Phi.Start);
    F.about(E.V);
    if (!Before)
      continue;
    F.note(A.places().row(row(*Before)).Second,
           "the previous one, of {}, ends at step {}",
           D.spell(D[Before->V].Tag), row(*Before).End)
        .about(Before->V);
  }
}

void RangeEnd::report(const Entry &E, Group Later) {
  const LiveRangeRow &Row = row(E);
  Finding F = R.report(A.places().row(Row).Second,
                       "live range of {} ends at step {}, but the value is "
                       "last held or read at step {}",
                       D.spell(D[E.V].Tag), Row.End, E.Steps.Last);
  F.note(A.places().line(D.Sequence[static_cast<size_t>(E.Steps.Last)]),
         "step {} is '{}'", E.Steps.Last,
         D.Names[D.Sequence[static_cast<size_t>(E.Steps.Last)].Name]);
  F.about(E.V);
  // If the next one should have cut this one, its start is the wrong number.
  if (!Later.empty())
    F.about(Later.front().V);
}

void RangeEnd::run() {
  if (!collect())
    return R.notChecked("a position or reader is not in the sequence");
  LastBefore.resize(D.Sequence.size(), 0);
  HeldBefore.resize(D.Sequence.size(), 0);
  for (size_t I = 0; I != Entries.size();) {
    size_t End = I;
    while (End != Entries.size() &&
           D[Entries[I].V].samePlace(D[Entries[End].V]))
      ++End;
    checkGroup(Group(Entries).slice(I, End - I));
    checkPhis(Group(Entries).slice(I, End - I));
    I = End;
  }
}

namespace hlobuf {
void checkRangeEnd(const CheckContext &A, Reporter &R) {
  // With the module every end was derived, and is equal.
  const ModuleAnalysis *W = A.moduleAnalysis();
  if (W && W->confirms(DerivedPart::Ranges))
    return;
  constexpr uint32_t Normalisation = 20220624;
  if (!A.release().since(Normalisation))
    return A.release().until(Normalisation)
               ? R.notApplicable("the dump is older than 2022-06-24")
               : R.notChecked("the dump may be older than 2022-06-24");
  if (!A.areRangesSound())
    return R.notChecked("the live ranges are incomplete");
  RangeEnd(A, R).run();
}
} // namespace hlobuf
