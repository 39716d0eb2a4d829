// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The positions of a value are its definition and all that the module only
// forwards from there, through tuples, bitcasts, calls, loops and branches
// (hlo_dataflow_analysis.cc, 2019-2026). Their order means nothing.

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

static Finding describePosition(const ModuleAnalysis &Analysis, Reporter &Diags,
                                Severity Level, const Difference &Found) {
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  const Program &P = Analysis.program();
  const UsedValue &U = D[Found.Used];
  if (Found.Kind == DifferenceKind::Missing) {
    const ProgramNode &N = P[Found.Id];
    ShapeIndex Index = P.trees().index(N.Shape, Found.Ordinal);
    return Diags
        .reportAs(Level, DumpFacts.places().tag(U).Whole,
                  "in the module, {} is also at {}{}, which is missing from "
                  "its positions",
                  D.spell(U.Tag), P.spell(Found.Id),
                  P.trees().shape(N.Shape).isTuple() ? D.Indices.text(Index)
                                                     : "")
        .note(P.place(Found.Id), "{} is here", P.spell(Found.Id))
        .about(U.Tag.Name);
  }
  const Position &At = D.Positions[Found.Row];
  Finding F = Diags.reportAs(Level, DumpFacts.places().line(At).ltrim(),
                             "in the module, {} is not at {}", D.spell(U.Tag),
                             D.spell(At.Name, At.Index));
  if (HloId Id = P.find(At.Name)) {
    HloValueId There = Analysis.flow().at(Id, At.Index);
    F.note(P.place(Id), "{} is here{}", D.Names[At.Name],
           There ? " and holds " + Analysis.flow().spell(There) : "");
  }
  return F.about(U.Tag.Name);
}

void hlobuf::checkModulePositions(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Positions, describePosition);
}
