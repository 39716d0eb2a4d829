//===- Checks/Peak/UnboundedPeak.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the shape of a live value's instruction has a dimension without bound
// (`?`), XLA prints one sentence instead of the peak list, and only there
// (hlo_live_range.cc, since 2026-08-05; before, it crashed, so a list next to
// such a shape is wrong in every release). No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

static bool isUnbounded(const ShapeTable &Shapes, ShapeId Id) {
  const Shape &S = Shapes[Id];
  return llvm::any_of(S.Dimensions,
                      [](Dimension D) { return D.unbounded(); }) ||
         llvm::any_of(S.Elements, [&](ShapeId Element) {
           return Element.valid() && isUnbounded(Shapes, Element);
         });
}

namespace hlobuf {
void checkUnboundedPeak(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  llvm::StringRef Heading =
      D.liveText().drop_front(D.PeakLine).take_until([](char C) {
        return C == '\n';
      });
  bool AllKnown = true;
  for (const LiveRangeRow &Row : D.Ranges) {
    const Instruction *I = A.instruction(Row.Name);
    if (!I || !I->Result) {
      AllKnown = false;
      continue;
    }
    if (!isUnbounded(D.Shapes, I->Result))
      continue;
    if (!D.UnboundedPeak)
      R.report(Heading,
               "a peak is printed, but '{}' has an unbounded dimension",
               D.Names[Row.Name])
          .note(A.places().text(*I).ShapeText, "its shape is here")
          .about(Row.Name);
    return;
  }
  if (!D.UnboundedPeak)
    return;
  if (!AllKnown)
    return R.notChecked("the shape of a live value is unknown");
  R.report(Heading, "no live value has an unbounded dimension, expected a peak")
      .about(Section::Peak);
}
} // namespace hlobuf
