//===- Checks/Peak/PeakBytes.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of the peak list prints the logical bytes of its value's shape:
// elements times element size without padding, 8 per element of a tuple, 8 for
// opaque values, 0 for tokens (hlo_live_range.cc with ShapeUtil::ByteSizeOf
// and pointers of 8 bytes, since 2025-04-14). Before, it printed the bytes of
// the whole instruction's shape. Tiles do not count, on TPU neither. No
// exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

/// The shape whose bytes \p Row prints; invalid if it is not known.
static ShapeId shapeOf(const CheckContext &A, const PeakRow &Row) {
  const Dump &D = A.dump();
  const Instruction *I = A.instruction(Row.Name);
  if (!I || !I->Result)
    return ShapeId();
  if (D.PeakRows == PeakForm::Name)
    return I->Result;
  return D.Shapes.at(I->Result, D.Indices.steps(Row.Index));
}

namespace hlobuf {
void checkPeakBytes(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (const PeakRow &Row : D.Peak) {
    ShapeId Shape = shapeOf(A, Row);
    std::optional<uint64_t> Bytes =
        Shape ? logicalBytes(D.Shapes, Shape) : std::nullopt;
    if (!Bytes) {
      R.notChecked("the shape of a row is unknown");
      continue;
    }
    if (*Bytes == Row.Bytes)
      continue;
    std::string Name = D.spell(Row.Name, Row.Index);
    Finding F = R.report(A.places().row(Row).First,
                         "'{}' has {} bytes in the peak list, expected {} for "
                         "{}",
                         Name, Row.Bytes, *Bytes, D.Shapes.text(Shape));
    F.note(A.places().text(*A.instruction(Row.Name)).ShapeText,
           "its shape is here")
        .about(Row.Name);
    UsedId U = A.findUsed(Row.Name, Row.Index);
    if (ValueId V = U ? A.valueOf(U) : ValueId())
      F.about(V);
  }
}
} // namespace hlobuf
