//===- Checks/Values/DuplicateUse.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No value lists a position or a use twice. Positions are collected once for
// each (instruction, index) (HloDataflowAnalysis::Verify insists on it), uses
// once for each (user, operand, index) (HloValue::ComputeUses, hlo_value.cc).
// No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"
#include <tuple>

using namespace hlobuf;

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

namespace hlobuf {
void checkDuplicateUse(const CheckContext &A, Reporter &R) {
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
} // namespace hlobuf
