// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A live range begins where its value is defined and ends where the module
// holds or reads it last; ranges of one alias set end where the next begins
// (xla/hlo/utils/hlo_live_range.cc, by the rules of the dump's release).

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

static Finding describeRange(const ModuleAnalysis &Analysis, Reporter &Diags,
                             Severity Level, const Difference &Found) {
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  const Program &P = Analysis.program();
  if (Found.Kind == DifferenceKind::Invented) {
    const LiveRangeRow &Row = D.Ranges[Found.Row];
    return Diags
        .reportAs(
            Level, DumpFacts.places().line(Row).ltrim(),
            "{} has a live range, but the module's schedule has no such value",
            D.spell(Row.Name, Row.Index))
        .about(Row.Name);
  }
  HloId Id = Analysis.flow()[Found.Value].Definition;
  StepRange Derived = *Analysis.ranges()[Found.Value];
  if (Found.Kind == DifferenceKind::Missing)
    return Diags
        .reportAs(Level, P.place(Id),
                  "{} lives from step {} to {}, but has no live range",
                  Analysis.flow().spell(Found.Value), Derived.Start,
                  Derived.End)
        .about(P[Id].Name);
  const LiveRangeRow &Row = D.Ranges[Found.Row];
  RowTexts At = DumpFacts.places().row(Row);
  bool StartsWrong = Row.Start != Derived.Start;
  Finding F =
      Diags.reportAs(Level, StartsWrong ? At.First : At.Second,
                     "{} has live range {}-{}, but the module implies {}-{}",
                     D.spell(Row.Name, Row.Index), Row.Start, Row.End,
                     Derived.Start, Derived.End);
  int32_t Step = StartsWrong ? Derived.Start : Derived.End;
  if (Step >= 0 && Step < Analysis.schedule().steps()) {
    HloId There = Analysis.schedule().sequence()[static_cast<size_t>(Step)];
    F.note(P.place(There), "step {} is {}", Step, P.spell(There));
    if (There == Id)
      return F.about(Row.Name);
  }
  F.note(P.place(Id), "{} is defined here", P.spell(Id));
  return F.about(Row.Name);
}

void hlobuf::checkModuleRanges(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Ranges, describeRange);
}
