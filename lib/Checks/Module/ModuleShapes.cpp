//===- Checks/Module/ModuleShapes.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of Checks/ShapeRules.h, held against every instruction of the
// module, also inside fusions: an operand that was exchanged, or a shape that
// was changed, rarely fits. What tuples, loops and calls forward is compared by
// module-layout, layouts included.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Checks/ShapeRules.h"
#include "Dataflow/ModuleAnalysis.h"

using namespace hlobuf;

/// True if module-layout compares all that forEachMisfit() would.
static bool isComparedByLayout(Opcode Op) {
  return Op == Opcode::Tuple || Op == Opcode::While;
}

static void checkInstruction(const Program &P, HloId Id, Reporter &R) {
  const Dump &D = P.facts().dump();
  const HloModule &M = P.module();
  ShapedInstruction I{P[Id].Op, P[Id].Shape, {}, M.attributes(M[Id])};
  for (HloId Operand : P.operands(Id))
    I.Operands.push_back(Operand ? P[Operand].Shape : ShapeId());
  forEachMisfit(D.Shapes, I, [&](const ShapeMisfit &Misfit) {
    bool Sizes = Misfit.What == ShapeMisfit::Kind::Sizes ||
                 Misfit.What == ShapeMisfit::Kind::Computed;
    HloId Other = Sizes ? HloId() : P.operands(Id)[Misfit.Operand];
    Finding Said = R.report(
        Misfit.Attribute.empty() ? P.place(Id) : Misfit.Attribute, "{}",
        describeMisfit(D.Shapes, I, Misfit, opcodeText(I.Op), P.spell(Id),
                       Other ? P.spell(Other) : ""));
    if (Other)
      Said.note(P.place(Other), "{} is defined here", P.spell(Other));
    Said.about(P[Id].Name);
  });
}

namespace hlobuf {
void checkModuleShapes(const CheckContext &A, Reporter &R) {
  const ModuleAnalysis *W = A.moduleAnalysis();
  if (!W || !W->program().obstacle().empty())
    return; // a module without ENTRY is a syntax error
  const Program &P = W->program();
  for (size_t I = 0; I != P.module().Instructions.size(); ++I)
    if (P[HloId(I)].Shape && !isComparedByLayout(P[HloId(I)].Op))
      checkInstruction(P, HloId(I), R);
}
} // namespace hlobuf
