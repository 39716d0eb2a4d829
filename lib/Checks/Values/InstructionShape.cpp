//===- Checks/Values/InstructionShape.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside a computation the shape of an instruction follows from its opcode and
// the shapes of its operands (Checks/ShapeRules.h). Only operands with a text
// of their own are compared. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/ShapeRules.h"
#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

static void report(const CheckContext &A, Reporter &R, const Instruction &I,
                   const ShapedInstruction &Shaped, const ShapeMisfit &M) {
  const Dump &D = A.dump();
  bool Sizes = M.What == ShapeMisfit::Kind::Sizes;
  // What is computed from several operands has no one operand to name.
  bool Named = !Sizes && M.What != ShapeMisfit::Kind::Computed;
  const Instruction *Other =
      Named ? A.instruction(D.operands(I)[M.Operand]) : nullptr;
  InstructionText Text = A.places().text(I);
  Finding Said = R.report(
      M.Attribute.empty() ? Text.ShapeText : M.Attribute, "{}",
      describeMisfit(D.Shapes, Shaped, M, Text.OpcodeText, D.Names[I.Name],
                     Other ? D.Names[Other->Name] : StringRef()));
  if (Sizes)
    Said.note(Text.ShapeText, "the result");
  if (Other)
    Said.note(A.places().text(*Other).ShapeText, "the operand");
  Said.about(I.Name);
  if (Other)
    Said.about(Other->Name);
}

namespace hlobuf {
void checkInstructionShape(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (const Instruction &I : D.Instructions) {
    ShapedInstruction Shaped{I.Op.Op, I.Result, {}, D.attributes(I)};
    for (NameId Name : D.operands(I)) {
      const Instruction *Other = A.instruction(Name);
      Shaped.Operands.push_back(Other ? Other->Result : ShapeId());
    }
    if (I.Result)
      forEachMisfit(D.Shapes, Shaped,
                    [&](const ShapeMisfit &M) { report(A, R, I, Shaped, M); });
  }
}
} // namespace hlobuf
