//===- Checks/Ranges/RangeMembership.cpp ----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value has a row of BufferLiveRange if and only if its instruction is a step
// (hlo_live_range.cc walks the flattened schedule, since 2021-04-07). Values
// that are not belong to computations that are called from inside one
// instruction: those are thread-local, or constants of a comparator or
// reducer, which keep their constant allocation (CPU dumps of 2023 on).
// A module that is not fully scheduled has neither steps nor ranges.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace {
class RangeMembership {
public:
  RangeMembership(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()) {}

  void run();

private:
  void reportMissing(ValueId V, int32_t Step);
  void reportUnscheduled(ValueId V);
  bool allUsed() const;
  void checkRows();
  llvm::StringRef rowBehind(ValueId V);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  /// By used value: the first row of a later one. Built when first needed.
  std::vector<uint32_t> Behind;
};
} // namespace

/// The row before which that of \p V belongs; the heading after the rows if it
/// is the last.
llvm::StringRef RangeMembership::rowBehind(ValueId V) {
  constexpr uint32_t None = ~uint32_t(0);
  if (Behind.empty()) {
    Behind.assign(D.Used.size() + 1, None);
    for (size_t I = D.Used.size(); I != 0; --I) {
      ValueId Next = A.valueOf(UsedId(I - 1));
      std::optional<uint32_t> Row = Next ? A.rangeRow(Next) : std::nullopt;
      Behind[I - 1] = Row.value_or(Behind[I]);
    }
  }
  UsedId U = A.usedOf(V);
  uint32_t Row = U ? Behind[U.index()] : None;
  if (Row != None)
    return A.places().line(D.Ranges[Row]);
  return D.Ranges.empty() ? llvm::StringRef()
                          : A.places().line(D.Ranges.back());
}

void RangeMembership::reportMissing(ValueId V, int32_t Step) {
  Finding F = R.report(A.places().value(D[V]).Tag.Whole,
                       "{} has no live range, but '{}' is step {}",
                       D.spell(D[V].Tag), D.Names[D[V].Tag.Name], Step);
  F.about(V)
      .about(D[V].Tag.Name)
      .note(A.places().line(D.Sequence[Step]), "'{}' is here",
            D.Names[D[V].Tag.Name]);
  llvm::StringRef Row = rowBehind(V);
  if (!Row.empty())
    F.note(Row, "its live range belongs next to this one");
}

void RangeMembership::reportUnscheduled(ValueId V) {
  const SequenceRow *Stray = A.strayStep();
  Finding F = R.report(A.places().value(D[V]).Tag.Whole,
                       "'{}' of {} is not in the instruction sequence, but the "
                       "value is neither thread-local nor constant",
                       D.Names[D[V].Tag.Name], D.spell(D[V].Tag));
  F.about(V).about(D[V].Tag.Name);
  if (Stray)
    F.note(A.places().row(*Stray).Name,
           "step {} is '{}', which appears nowhere else", Stray->Ordinal,
           D.Names[Stray->Name])
        .about(Stray->Name);
}

/// True if all values with a live range have a place: XLA leaves out constants
/// where a backend allocates none (buffer_assignment.cc,
/// allocate_buffers_for_constants), and for memory space assignment views into
/// other buffers (dus_view_color, 2026-07-22).
bool RangeMembership::allUsed() const {
  return !A.isTPU() && A.backend() != Backend::Untiled &&
         D.complete(Section::Texts) &&
         llvm::any_of(D.Allocations,
                      [](const Allocation &Alloc) { return Alloc.Constant; });
}

void RangeMembership::checkRows() {
  if (A.isFull() || !allUsed())
    return;
  for (const LiveRangeRow &Row : D.Ranges)
    if (!A.findUsed(Row.Name, Row.Index))
      R.report(A.places().row(Row).First,
               "{} has a live range, but is missing from 'Used values'",
               D.spell(Row.Name, Row.Index))
          .about(Row.Name);
}

void RangeMembership::run() {
  checkRows();
  for (size_t I = 0; I != D.Values.size(); ++I) {
    ValueId V(I);
    const Allocation &Owner = D[D[V].Owner];
    bool HasRow = A.rangeRow(V).has_value();
    int32_t Step = A.time(D[V].Tag.Name);
    if (!HasRow && Step >= 0)
      reportMissing(V, Step);
    else if (!HasRow && !Owner.ThreadLocal && !Owner.Constant)
      reportUnscheduled(V);
    else if (HasRow && Owner.ThreadLocal)
      R.report(A.places().line(D.Ranges[*A.rangeRow(V)]),
               "{} is thread-local, but has a live range", D.spell(D[V].Tag))
          .note(A.places().header(Owner).ThreadLocal,
                "allocation {} is thread-local", Owner.Index)
          .about(V)
          .about(D[V].Owner);
  }
}

namespace hlobuf {
void checkRangeMembership(const CheckContext &A, Reporter &R) {
  if (A.dump().Sequence.empty())
    return R.notChecked("the instruction sequence is empty");
  if (!A.isSequenceSound())
    return R.notChecked("the instruction sequence is broken");
  RangeMembership(A, R).run();
}
} // namespace hlobuf
