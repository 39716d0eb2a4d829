//===- Checks/Ranges/LiveOutRange.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is part of the ENTRY root lives to the end of the program, the
// step after the last (hlo_live_range.cc: a root's values live to the end of
// their computation, since 2021-04-07). A value that lives to the end is in
// a maybe-live-out allocation or in a parameter's; a parameter that is not
// donated lives to the end too (hlo_live_range.cc, aliasing with the outside).
// The opposite is wrong: what is in an output's allocation may end before
// the output begins.
//
// Of the values of one buffer, only the last one is stated to live to the end:
// the others are cut where the next one begins (Facts/Succession.h). A weight
// that is donated, gathered and returned as it is has such a row: it forwards
// its bytes to the start and the done of the gather.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Succession.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

static const Position *positionAt(const Dump &D, const UsedValue &U,
                                  NameId Root) {
  for (const Position &P : D.positions(U))
    if (P.Name == Root)
      return &P;
  return nullptr;
}

/// An output lives to the end, so some value of its allocation does.
static void checkOutputs(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (const Allocation &Owner : D.Allocations) {
    if (!Owner.MaybeLiveOut || Owner.ThreadLocal)
      continue;
    const LiveRangeRow *Last = nullptr;
    ValueId LastValue;
    for (uint32_t I = Owner.Values.Begin; I != Owner.Values.End; ++I) {
      std::optional<uint32_t> Row = A.rangeRow(ValueId(I));
      if (!Row || (Last && Last->End > D.Ranges[*Row].End))
        continue;
      Last = &D.Ranges[*Row];
      LastValue = ValueId(I);
    }
    if (!Last || Last->End == A.steps())
      continue;
    // One that is part of the root is reported by its row.
    UsedId U = A.usedOf(LastValue);
    if (U && A.isLiveOut(U))
      continue;
    R.report(A.places().row(*Last).Second,
             "live range of {} ends at step {}, but one value of output "
             "allocation {} must live to the end, step {}",
             D.spell(D[LastValue].Tag), Last->End, Owner.Index, A.steps())
        .note(A.places().header(Owner).MaybeLiveOut,
              "allocation {} is maybe-live-out", Owner.Index)
        .about(LastValue);
  }
}

namespace {
/// Compares each row with the place of its value.
class LiveOutRows {
public:
  LiveOutRows(const CheckContext &A, Reporter &R, NameId Root);

  void run();

private:
  void check(const LiveRangeRow &Row, ValueId V, const Position *AtRoot);
  void checkOwner(const LiveRangeRow &Row, ValueId V, bool AtRoot);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  NameId Root;
  /// Rows of values that follow each other, one of which is part of the root.
  llvm::DenseSet<uint32_t> OfResult;
};
} // namespace

LiveOutRows::LiveOutRows(const CheckContext &A, Reporter &R, NameId Root)
    : A(A), R(R), D(A.dump()), Root(Root) {
  for (uint32_t I = 0; Root && I != D.Values.size(); ++I)
    if (UsedId U = A.usedOf(ValueId(I)); U && A.isLiveOut(U))
      OfResult.insert(A.succession().row(ValueId(I)));
}

/// \p V lives to the end: is there anything that would keep it?
void LiveOutRows::checkOwner(const LiveRangeRow &Row, ValueId V, bool AtRoot) {
  const Allocation &Owner = D[D[V].Owner];
  if (!Owner.MaybeLiveOut && !Owner.isParameter())
    R.report(A.places().row(Row).Second,
             "live range of {} reaches the end, step {}, but allocation {} is "
             "neither an output nor a parameter",
             D.spell(D[V].Tag), Row.End, Owner.Index)
        .note(A.places().line(Owner), "allocation {} is here", Owner.Index)
        .about(V);
  else if (!Owner.MaybeLiveOut || !Root || AtRoot)
    return;
  else if (OfResult.contains(A.succession().row(V)))
    R.exempt("follows-result");
  else
    R.reportAs(Severity::Warning, A.places().row(Row).Second,
               "live range of {} reaches the end, step {}, but the value is "
               "not part of the program's result",
               D.spell(D[V].Tag), Row.End)
        .note(A.places().line(D.Sequence[static_cast<size_t>(A.time(Root))]),
              "'{}' is the root of ENTRY", D.Names[Root])
        .about(V);
}

void LiveOutRows::check(const LiveRangeRow &Row, ValueId V,
                        const Position *AtRoot) {
  if (Row.End == A.steps())
    return checkOwner(Row, V, AtRoot != nullptr);
  if (!AtRoot)
    return;
  if (A.succession().reachesEnd(V))
    return R.exempt("follows-result");
  R.report(A.places().row(Row).Second,
           "live range of {} ends at step {}, but the value is part of the "
           "program's result and must live to the end, step {}",
           D.spell(D[V].Tag), Row.End, A.steps())
      .note(A.places().line(*AtRoot), "'{}' is the root of ENTRY",
            D.Names[Root])
      .about(V);
}

void LiveOutRows::run() {
  for (const LiveRangeRow &Row : D.Ranges) {
    UsedId U = A.findUsed(Row.Name, Row.Index);
    if (ValueId V = U ? A.valueOf(U) : ValueId())
      check(Row, V, Root ? positionAt(D, D[U], Root) : nullptr);
  }
}

namespace hlobuf {
void checkLiveOutRange(const CheckContext &A, Reporter &R) {
  // With the module every end was derived, and is equal.
  const ModuleAnalysis *M = A.moduleAnalysis();
  if (M && M->confirms(DerivedPart::Ranges))
    return;
  if (A.dump().Sequence.empty())
    return R.notChecked("the instruction sequence is empty");
  if (!A.areRangesSound())
    return R.notChecked("the live ranges are incomplete");
  checkOutputs(A, R);
  NameId Root = A.entryRoot();
  if (!Root)
    R.notChecked("the ENTRY root is unknown");
  LiveOutRows(A, R, Root).run();
}
} // namespace hlobuf
