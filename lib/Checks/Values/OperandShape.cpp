//===- Checks/Values/OperandShape.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Until 2025-03-11 an instruction's text repeats the shape of each operand
// (HloPrintOptions::print_operand_shape, hlo_instruction.cc). It is the shape
// of the operand, letter by letter: as in the operand's own text, as in every
// other instruction that reads it, and it fits the value that is positioned
// there, as far as bitcasts let it. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/ShapeFit.h"
#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class OperandShapes {
public:
  OperandShapes(const CheckContext &A, Reporter &R)
      : A(A), D(A.dump()), R(R), Seen(D.Names.size()) {}

  void check(const Instruction &I) {
    // Releases since 2025-03-11 print no shapes at all.
    if (!AnyShape && D.operandsText(I).starts_with("%"))
      return;
    uint32_t K = 0;
    forEachOperand(D.operandsText(I), [&](OperandText Operand) {
      if (K >= I.Operands.size())
        return;
      NameId Name = D.operands(I)[K++];
      if (Operand.Shape.empty())
        return;
      AnyShape = true;
      checkOperand(I, Name, Operand);
    });
  }
  bool any() const { return AnyShape; }

private:
  void checkOperand(const Instruction &I, NameId Name, OperandText Operand) {
    StringRef &First = Seen[Name.index()];
    if (const Instruction *Own = A.instruction(Name))
      return compare(I, Name, Operand, D.Shapes.text(Own->Result), *Own);
    if (First.empty()) {
      First = Operand.Shape;
      compareToValue(I, Name, Operand);
    } else if (First != Operand.Shape) {
      R.report(Operand.Shape, "operand {} has shape {} here, but {} elsewhere",
               Operand.Name, Operand.Shape, First)
          .note(First, "the same operand")
          .about(I.Name)
          .about(Name);
    }
  }

  void compare(const Instruction &I, NameId Name, OperandText Operand,
               StringRef Expected, const Instruction &Own) {
    if (Operand.Shape == Expected)
      return;
    R.report(Operand.Shape,
             "operand {} has shape {} here, but {} in its own "
             "text",
             Operand.Name, Operand.Shape, Expected)
        .note(A.places().text(Own).ShapeText, "its own text")
        .about(I.Name)
        .about(Name);
  }

  /// An operand without text must fit the value at its top.
  void compareToValue(const Instruction &I, NameId Name, OperandText Operand) {
    UsedId U = A.valueAt(Name, ShapeIndex::root());
    ValueId V = U ? A.valueOf(U) : ValueId();
    if (!V)
      return;
    ShapeId Parsed = Scratch.parse(Operand.Shape);
    std::string Wrong = misfit(A, Scratch, Parsed, D[V].Shape);
    if (Parsed && Wrong.empty())
      return;
    R.report(Operand.Shape, "operand {} has {}", Operand.Name,
             Parsed ? Wrong : "no readable shape")
        .note(A.places().value(D[V]).Shape, "the value that is there")
        .about(I.Name)
        .about(V);
  }

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  /// The first shape of each operand without text.
  std::vector<StringRef> Seen;
  ShapeTable Scratch;
  bool AnyShape = false;
};
} // namespace

namespace hlobuf {
void checkOperandShape(const CheckContext &A, Reporter &R) {
  OperandShapes Shapes(A, R);
  for (const Instruction &I : A.dump().Instructions)
    if (!I.Operands.empty())
      Shapes.check(I);
  if (!Shapes.any())
    R.notApplicable("operands have no shapes since 2025-03-11");
}
} // namespace hlobuf
