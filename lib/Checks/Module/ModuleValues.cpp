// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value has a buffer if and only if the module's dataflow defines it in a
// computation that gets buffers, and it is a phi if and only if different
// values meet there (hlo_dataflow_analysis.cc, hlo_phi_graph.cc, 2019-2026).
// Alias sets with a constant, where no constant is allocated, and those of a
// view color (2026-07-22 on) have live ranges and no allocation.

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

static Finding describeValue(const ModuleAnalysis &Analysis, Reporter &Diags,
                             Severity Level, const Difference &Found) {
  const Dump &D = Analysis.facts().dump();
  const Program &P = Analysis.program();
  if (Found.Kind == DifferenceKind::Missing) {
    HloId Id = Analysis.flow()[Found.Value].Definition;
    Finding F =
        Diags.reportAs(Level, P.place(Id), "value {}{} has no buffer assigned",
                       Analysis.flow().spell(Found.Value),
                       Analysis.flow()[Found.Value].Phi ? " (phi)" : "");
    return P[Id].Name ? F.about(P[Id].Name) : F;
  }
  const ValueTag &Tag = D[Found.Line].Tag;
  TagTexts At = Analysis.facts().places().value(D[Found.Line]).Tag;
  HloId Id = P.find(Tag.Name);
  if (Found.Kind == DifferenceKind::Unequal)
    return Diags
        .reportAs(Level, At.Whole, "{} is {}, but in the module {}",
                  D.spell(Tag), Tag.Phi ? "a phi" : "not a phi",
                  Tag.Phi ? "only one value reaches it"
                          : "several values meet here")
        .note(P.place(Id), "{} is here", D.Names[Tag.Name])
        .about(Found.Line);
  if (!Id)
    return Diags
        .reportAs(Level, At.Name, "the module has no instruction {}",
                  D.Names[Tag.Name])
        .about(Found.Line);
  Finding F = Diags.reportAs(
      Level, At.Whole, "{} has a buffer, but the module defines no value there",
      D.spell(Tag));
  F.note(P.place(Id), "{} is here", D.Names[Tag.Name]);
  HloValueId V = Analysis.flow().at(Id, Tag.Index);
  if (V)
    F.note(P.place(Analysis.flow()[V].Definition), "it only forwards {}",
           Analysis.flow().spell(V));
  return F.about(Found.Line);
}

/// Says that the compiler simplified phis in another way, at the first of them.
static void reportOtherPhis(const ModuleAnalysis &Analysis, Reporter &Diags) {
  const Dump &D = Analysis.facts().dump();
  auto Phi = llvm::find_if(D.Values, [](const Value &V) { return V.Tag.Phi; });
  // The compiler may have dropped them all.
  llvm::StringRef Where = Phi == D.Values.end()
                              ? Analysis.program().module().Name
                              : Analysis.facts().places().value(*Phi).Tag.Whole;
  Diags.reportAs(
      Severity::Warning, Where,
      "the dump and the module's dataflow have different phis; both are "
      "legal, and the dump's were used for everything else");
}

void hlobuf::checkModuleValues(const CheckContext &Ctx, Reporter &Diags) {
  const ModuleAnalysis *Module = Ctx.moduleAnalysis();
  if (Module && Module->obstacle().empty() && Module->hasOtherPhis())
    reportOtherPhis(*Module, Diags);
  reportDifferences(Ctx, Diags, DerivedPart::Values, describeValue);
}
