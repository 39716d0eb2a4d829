// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of a value are the operands at which the module reads it
// (HloValue::ComputeUses in xla/service/hlo_value.cc, 2019-2026). A tuple or
// copy that only passes an element on is a use only as a root. Their order
// means nothing.

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

static Finding describe(const ModuleAnalysis &Analysis, Reporter &Diags,
                        Severity Level, const Difference &Found) {
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  const Program &P = Analysis.program();
  const UsedValue &U = D[Found.Used];
  if (Found.Kind == DifferenceKind::Missing) {
    HloId Operand = P.operands(Found.Id)[Found.Operand];
    const ProgramNode &N = P[Operand];
    ShapeIndex Index = P.trees().index(N.Shape, Found.Ordinal);
    return Diags
        .reportAs(Level, DumpFacts.places().tag(U).Whole,
                  "in the module, {} reads {} as operand {}{}, which is "
                  "missing from its uses",
                  P.spell(Found.Id), D.spell(U.Tag), Found.Operand,
                  P.trees().shape(N.Shape).isTuple()
                      ? " " + D.Indices.text(Index)
                      : "")
        .note(P.place(Found.Id), "{} is here", P.spell(Found.Id))
        .about(U.Tag.Name);
  }
  const Use &Row = D.Uses[Found.Row];
  Finding F = Diags.reportAs(
      Level, DumpFacts.places().line(Row).ltrim(),
      "in the module, {} does not read {} as operand {}{}", D.Names[Row.Name],
      D.spell(U.Tag), Row.Operand,
      Row.Index.printed() ? " " + D.Indices.text(Row.Index) : "");
  if (HloId Id = P.find(Row.Name))
    F.note(P.place(Id), "{} is here", D.Names[Row.Name]);
  return F.about(U.Tag.Name);
}

void hlobuf::checkModuleUses(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Uses, describe);
}
