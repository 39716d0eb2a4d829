//===- Checks/Peak/PeakOrder.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the peak list come by bytes descending, then by instruction name,
// then by index (hlo_live_range.cc, since 2025-05-16). Before, they came by
// value id, as the rows of BufferLiveRange do. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace {
class PeakOrder {
public:
  PeakOrder(const CheckContext &A, Reporter &R) : A(A), R(R), D(A.dump()) {}

  void run() {
    if (D.PeakRows == PeakForm::Name)
      return compareNames();
    for (size_t I = 1; I < D.Peak.size(); ++I)
      if (!inOrder(D.Peak[I - 1], D.Peak[I]))
        report(D.Peak[I - 1], D.Peak[I]);
  }

private:
  void compareNames();
  bool inOrder(const PeakRow &P, const PeakRow &Q) const;
  void report(const PeakRow &P, const PeakRow &Q);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
};
} // namespace

bool PeakOrder::inOrder(const PeakRow &P, const PeakRow &Q) const {
  if (D.PeakRows != PeakForm::Cumulative) {
    std::optional<uint32_t> First = A.rangeRow(P.Name, P.Index);
    std::optional<uint32_t> Second = A.rangeRow(Q.Name, Q.Index);
    return !First || !Second || *First <= *Second;
  }
  if (P.Bytes != Q.Bytes)
    return P.Bytes > Q.Bytes;
  if (P.Name != Q.Name)
    return D.Names[P.Name] < D.Names[Q.Name];
  return !D.Indices.less(Q.Index, P.Index);
}

/// Rows that print no index: their names come as in BufferLiveRange. Which
/// names are listed is another check's business.
void PeakOrder::compareNames() {
  std::vector<NameId> Expected;
  for (const LiveRangeRow &Row : D.Ranges)
    if (Row.Start <= D.PeakStep && D.PeakStep <= Row.End)
      Expected.push_back(Row.Name);
  std::vector<NameId> Listed;
  for (const PeakRow &Row : D.Peak)
    Listed.push_back(Row.Name);
  auto [At, _] = std::mismatch(Listed.begin(), Listed.end(), Expected.begin(),
                               Expected.end());
  if (At == Listed.end())
    return;
  auto First = static_cast<size_t>(At - Listed.begin());
  NameId Wanted = First < Expected.size() ? Expected[First] : NameId();
  llvm::sort(Listed);
  llvm::sort(Expected);
  if (Listed != Expected)
    return;
  const PeakRow &Row = D.Peak[First];
  R.report(
       A.places().row(Row).Name,
       "peak list has '{}' where '{}' belongs; rows are ordered by value id",
       D.Names[Row.Name], D.Names[Wanted])
      .about(Row.Name)
      .about(Wanted);
}

void PeakOrder::report(const PeakRow &P, const PeakRow &Q) {
  Finding F = R.report(
      A.places().row(Q).Name, "'{}' comes after '{}' in the peak list; {}",
      D.spell(Q.Name, Q.Index), D.spell(P.Name, P.Index),
      D.PeakRows == PeakForm::Cumulative
          ? "rows are ordered by bytes (descending), then by name and index"
          : "rows are ordered by value id");
  F.note(A.places().line(P), "the previous row is here");
  for (const PeakRow *Row : {&P, &Q}) {
    F.about(Row->Name);
    UsedId U = A.findUsed(Row->Name, Row->Index);
    if (ValueId V = U ? A.valueOf(U) : ValueId())
      F.about(V);
  }
}

namespace hlobuf {
void checkPeakOrder(const CheckContext &A, Reporter &R) {
  if (A.dump().PeakRows != PeakForm::Cumulative && !A.areRangesSound())
    return R.notChecked("the live ranges are incomplete");
  PeakOrder(A, R).run();
}
} // namespace hlobuf
