// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequence is the schedule of the module's computations, each callee put
// before its caller's step (FlattenSchedule in
// xla/hlo/utils/hlo_live_range.cc, 2019-2026). Without is_scheduled=true in
// the header the order inside a computation is taken from the dump; then it
// must still be one: operands first, callees in their places.

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

namespace {
class SequenceDifference {
public:
  SequenceDifference(const ModuleAnalysis &Analysis, Reporter &Diags,
                     Severity Level)
      : Analysis(Analysis), Diags(Diags), Level(Level),
        D(Analysis.facts().dump()), P(Analysis.program()) {}

  Finding describe(const Difference &Found);

private:
  llvm::StringRef row(size_t Number) const {
    return Analysis.facts().places().row(D.Sequence[Number]).Name;
  }
  Finding missing(HloId Id);
  Finding order(const Difference &Found);
  Finding operand(const Difference &Found);

  const ModuleAnalysis &Analysis;
  Reporter &Diags;
  Severity Level;
  const Dump &D;
  const Program &P;
};
} // namespace

/// Points at the step after which the module has \p Id.
Finding SequenceDifference::missing(HloId Id) {
  int32_t Step = Analysis.schedule().time(Id);
  llvm::StringRef Where = P.place(Id);
  for (int32_t Before = Step - 1; Before >= 0 && Before > Step - 100;
       --Before) {
    NameId Name =
        P[Analysis.schedule().sequence()[static_cast<size_t>(Before)]].Name;
    int32_t Stated = Name ? Analysis.facts().time(Name) : -1;
    if (Stated < 0)
      continue;
    Where = row(static_cast<size_t>(Stated));
    break;
  }
  return Diags
      .reportAs(Level, Where,
                "the module schedules {} at step {}, but it is missing from "
                "the sequence",
                P.spell(Id), Step)
      .note(P.place(Id), "{} is defined here", P.spell(Id));
}

Finding SequenceDifference::order(const Difference &Found) {
  NameId Stated = D.Sequence[Found.Row].Name;
  Finding F = Diags.reportAs(Level, row(Found.Row),
                             "step {} is {}, but the module schedules {} here",
                             Found.Row, D.Names[Stated], P.spell(Found.Id));
  F.note(P.place(Found.Id), "the module's schedule has {} here",
         P.spell(Found.Id));
  if (HloId Id = P.find(Stated))
    F.note(P.place(Id), "and {} here", D.Names[Stated]);
  return F.about(Stated);
}

Finding SequenceDifference::operand(const Difference &Found) {
  HloId Operand = P.operands(Found.Id)[Found.Operand];
  int32_t Step = Analysis.schedule().time(Operand);
  Finding F =
      Diags.reportAs(Level, row(Found.Row),
                     "step {} ({}) comes before its operand {}, which is "
                     "at step {}",
                     Found.Row, P.spell(Found.Id), P.spell(Operand), Step);
  if (Step >= 0 && Step < Analysis.facts().steps())
    F.note(row(static_cast<size_t>(Step)), "{} is at this step",
           P.spell(Operand));
  return F.note(P.place(Found.Id), "{} reads it", P.spell(Found.Id));
}

Finding SequenceDifference::describe(const Difference &Found) {
  if (Found.Kind == DifferenceKind::Missing)
    return missing(Found.Id);
  if (Found.Kind == DifferenceKind::Unequal)
    return Found.Operand == ~0u ? order(Found) : operand(Found);
  NameId Name = D.Sequence[Found.Row].Name;
  return Diags
      .reportAs(Level, row(Found.Row), "the module has no instruction {}",
                D.Names[Name])
      .about(Name);
}

void hlobuf::checkModuleSequence(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(
      Ctx, Diags, DerivedPart::Sequence,
      [&](const ModuleAnalysis &Analysis, Reporter &, Severity Level,
          const Difference &Found) {
        return SequenceDifference(Analysis, Diags, Level).describe(Found);
      });
}
