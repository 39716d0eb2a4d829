//===- Checks/Values/PositionShape.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All positions of a value are one buffer. Where the text of a position's
// instruction is known, its shape has a part at the position's index, braces
// are printed if and only if that shape is a tuple, and the part is what the
// value is: an array, a tuple of as many elements, or a token; in the same
// memory space S(n), which is the value's color; and on CPU and GPU of as many
// bytes. Only bitcasts change shapes on the way (HloDataflowAnalysis, 2017 on;
// HloVerifier compares the shapes of all other forwarding instructions). A
// bitcast keeps kind, memory space and bytes; on TPU it may drop padding, so
// bytes are not compared there, nor those of dynamic dimensions.
//
//===----------------------------------------------------------------------===//

#include "Checks/ShapeFit.h"
#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

/// The braces follow the shape of the instruction.
static bool checkIndex(const CheckContext &A, Reporter &R, UsedId U,
                       const Position &P, const Instruction &I, ShapeId Part) {
  const Dump &D = A.dump();
  bool Table = D.Shapes[I.Result].isTuple();
  if (Part && Table == P.Index.printed())
    return true;
  RowTexts Row = A.places().row(P);
  StringRef Where = Row.Index.empty() ? Row.Name : Row.Index;
  StringRef Shape = A.places().text(I).ShapeText;
  Finding F =
      Part ? R.report(Where,
                      "position {} of {} is printed {} index, but its "
                      "shape is {} tuple",
                      D.Names[P.Name], A.places().tag(D[U]).Whole,
                      Table ? "without an" : "with an", Table ? "a" : "not a")
           : R.report(Where, "the shape of {} has no index {}", D.Names[P.Name],
                      D.Indices.text(P.Index));
  F.note(Shape, "its shape").about(I.Name);
  aboutUsed(A, F, U);
  return false;
}

/// Without text, the value at the top shows what the shape is.
static void checkHidden(const CheckContext &A, Reporter &R, UsedId U,
                        const Position &P) {
  const Dump &D = A.dump();
  ValueId V = A.valueOf(U);
  if (!V || !D[V].Shape || !P.Index.isRoot() ||
      D.Shapes[D[V].Shape].isTuple() == P.Index.printed())
    return;
  R.report(A.places().line(P).ltrim(),
           "position {} of {} is printed {} index, but the value is {} tuple",
           D.Names[P.Name], A.places().tag(D[U]).Whole,
           P.Index.printed() ? "with an" : "without an",
           P.Index.printed() ? "not a" : "a")
      .note(A.places().value(D[V]).Shape, "the shape of the value")
      .about(V)
      .about(P.Name);
}

static void checkPosition(const CheckContext &A, Reporter &R, UsedId U,
                          const Position &P) {
  const Instruction *I = A.instruction(P.Name);
  const Dump &D = A.dump();
  if (!I)
    return checkHidden(A, R, U, P);
  ShapeId Part = partAt(D, *I, P.Index);
  if (!checkIndex(A, R, U, P, *I, Part))
    return;
  ValueId V = A.valueOf(U);
  if (!V || P.Name == D[U].Tag.Name)
    return;
  std::string Wrong = misfit(A, D.Shapes, Part, D[V].Shape);
  if (Wrong.empty())
    return;
  Finding F =
      R.report(A.places().line(P).ltrim(), "position {} of {} has {}",
               D.spell(P.Name, P.Index), A.places().tag(D[U]).Whole, Wrong);
  F.note(A.places().text(*I).ShapeText, "the shape there")
      .note(A.places().value(D[V]).Shape, "the shape of the value")
      .about(V)
      .about(I->Name);
}

namespace hlobuf {
void checkPositionShape(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t U = 0; U != D.Used.size(); ++U)
    for (const Position &P : D.positions(D.Used[U]))
      checkPosition(A, R, UsedId(U), P);
}
} // namespace hlobuf
