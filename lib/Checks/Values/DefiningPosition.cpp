//===- Checks/Values/DefiningPosition.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first position of a value is the place that defines it: the constructor
// of HloValue puts it there (hlo_value.cc, since 2019), and SetPositions only
// appends. Further positions are at other instructions, because a value set is
// never asked for at another index of the defining instruction
// (HloDataflowAnalysis, 2017 on). Braces are printed alike in tag and position:
// both follow the instruction's shape. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

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

namespace hlobuf {
void checkDefiningPosition(const CheckContext &A, Reporter &R) {
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
} // namespace hlobuf
