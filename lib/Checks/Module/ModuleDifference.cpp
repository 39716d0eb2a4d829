// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

/// Differences that follow from an earlier part and are still said.
static constexpr unsigned MaxConsequences = 3;

static bool isTimedPart(DerivedPart Part) {
  return Part == DerivedPart::Sequence || Part == DerivedPart::Ranges;
}

/// The part that distinguishes dumps and modules of different compilation
/// stages.
static DerivedPart strangersIn(const ModuleAnalysis &Analysis) {
  return Analysis.states(DerivedPart::Sequence) ? DerivedPart::Sequence
                                                : DerivedPart::Values;
}

/// One warning instead of as many errors as there are instructions.
static void reportAnotherTime(const ModuleAnalysis &Analysis, Reporter &Diags) {
  size_t Strange = 0;
  std::string Example;
  StringRef Where;
  const Dump &D = Analysis.facts().dump();
  compare(
      Analysis.derived(), strangersIn(Analysis), [&](const Difference &Diff) {
        Strange += Diff.Kind != DifferenceKind::Unequal;
        if (!Example.empty() || Diff.Kind != DifferenceKind::Invented)
          return true;
        NameId Name =
            Diff.Line ? D[Diff.Line].Tag.Name : D.Sequence[Diff.Row].Name;
        Example = D.Names[Name].str();
        Where = Diff.Line
                    ? Analysis.facts().places().value(D[Diff.Line]).Tag.Name
                    : Analysis.facts().places().row(D.Sequence[Diff.Row]).Name;
        return true;
      });
  if (!Where.data())
    Where = D.Module.Text.take_until([](char C) { return C == '\n'; });
  Diags.reportAs(Severity::Warning, Where,
                 "dump and module come from different compilation stages: {} "
                 "{} appear in only one of them{}; they were not compared",
                 Strange,
                 strangersIn(Analysis) == DerivedPart::Sequence ? "steps"
                                                                : "values",
                 Example.empty() ? "" : ", such as " + Example);
}

/// One warning where all values of a kind differ in a dump that may be newer
/// than this tool. The last line says that they are excused, and `--require`
/// does not take that for a check that ran.
static void reportNewRule(const ModuleAnalysis &Analysis, Reporter &Diags,
                          DerivedPart Part, DescribeFn Describe) {
  Diags.exempt("newer-rule", Analysis.numExcused());
  Diags.notChecked(
      fmt::format("all {} differ ({}): this XLA may be newer than the tool",
                  Analysis.newRuleFor(), Analysis.numExcused()));
  if (Analysis.firstDifference() != Part)
    return;
  compare(Analysis.derived(), Part, [&](const Difference &Diff) {
    Describe({Analysis, Diags, Severity::Warning}, Diff)
        .note(Analysis.program().module().Name,
              "all {} differ: this XLA may be newer than the tool; {} more are "
              "not shown",
              Analysis.newRuleFor(), Analysis.numExcused() - 1);
    return false;
  });
}

/// Why \p Part cannot be compared; empty if it can.
static std::string obstacleTo(const ModuleAnalysis &Analysis,
                              DerivedPart Part) {
  if (isTimedPart(Part) && !Analysis.isTimed())
    return "the module is not scheduled";
  if (!Analysis.states(Part) && isTimedPart(Part))
    return Analysis.facts().dump().complete(Section::Used)
               ? Analysis.facts().dump().Sequence.empty()
                     ? "the instruction sequence is empty"
                     : "the instruction sequence is broken"
               : "the module omits get-tuple-elements, and only 'Used values' "
                 "shows their steps";
  return "";
}

const ModuleAnalysis *hlobuf::usableModule(const CheckContext &Ctx,
                                           Reporter &Diags) {
  const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
  if (!Analysis)
    return nullptr; // the driver says so
  if (!Analysis->obstacle().empty())
    Diags.notChecked(Analysis->obstacle().str());
  else if (Analysis->isOfAnotherTime())
    Diags.notChecked("dump and module come from different compilation stages");
  else
    return Analysis;
  return nullptr;
}

/// What texts tell of \p Part, and what of that they do not; null if nothing.
static const ModuleAnalysis *usableTexts(const CheckContext &Ctx,
                                         Reporter &Diags, DerivedPart Part) {
  Diags.Proof.FromTexts = true;
  const Dump &D = Ctx.dump();
  for (Section S : sectionsInTexts(Part))
    if (!D.complete(S)) {
      Diags.notCheckedWithout(Ctx, S);
      return nullptr;
    }
  bool Timed = isTimedPart(Part);
  if (Timed && D.Sequence.empty()) {
    Diags.notChecked("the instruction sequence is empty");
    return nullptr;
  }
  if (Timed && !Ctx.isSequenceSound())
    Diags.notChecked("the instruction sequence is broken");
  if (Part == DerivedPart::Uses && !D.complete(Section::Texts))
    Diags.notCheckedWithout(Ctx, Section::Texts);
  if ((Part == DerivedPart::Sequence || Part == DerivedPart::Values ||
       Part == DerivedPart::Uses) &&
      !Ctx.isFull())
    Diags.notCheckedWithout(
        Ctx, Section::Ranges,
        "the live ranges do not show whether all values are listed");
  const ModuleAnalysis *Analysis = Ctx.textAnalysis();
  return Analysis && Analysis->states(Part) ? Analysis : nullptr;
}

/// What the module says of \p Part; null if nothing, and \p Diags says why.
static const ModuleAnalysis *
comparableModule(const CheckContext &Ctx, Reporter &Diags, DerivedPart Part) {
  const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
  if (Analysis && Part == DerivedPart::Places && Analysis->obstacle().empty() &&
      Analysis->isOfAnotherTime())
    reportAnotherTime(*Analysis, Diags);
  Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return nullptr;
  std::string Obstacle = obstacleTo(*Analysis, Part);
  if (!Obstacle.empty()) {
    if (Analysis->isTimed())
      Diags.notCheckedWithout(Ctx, Section::Used, Obstacle);
    else
      Diags.notChecked(Obstacle);
    return nullptr;
  }
  if (Analysis->states(Part))
    return Analysis;
  Diags.notApplicable("sizes on TPU do not follow from shapes alone");
  return nullptr;
}

const ModuleAnalysis *hlobuf::usableProgram(const CheckContext &Ctx,
                                            Reporter &Diags, DerivedPart Part) {
  const ModuleAnalysis *Module = Ctx.moduleAnalysis();
  bool Usable = Module && Module->isUsable();
  // What the module does not tell, texts may.
  if (Usable && isTimedPart(Part) && !Module->isTimed()) {
    comparableModule(Ctx, Diags, Part);
    return usableTexts(Ctx, Diags, Part);
  }
  return Usable || sectionsInTexts(Part).empty()
             ? comparableModule(Ctx, Diags, Part)
             : usableTexts(Ctx, Diags, Part);
}

void hlobuf::reportDifferences(const CheckContext &Ctx, Reporter &Diags,
                               DerivedPart Part, DescribeFn Describe) {
  const ModuleAnalysis *Analysis = usableProgram(Ctx, Diags, Part);
  if (!Analysis || !Analysis->differs(Part))
    return;
  if (!Analysis->newRuleFor().empty() && ModuleAnalysis::mayBeNewRule(Part))
    return reportNewRule(*Analysis, Diags, Part, Describe);
  bool First = Analysis->firstDifference() == Part;
  bool Excuses = !Analysis->newRuleFor().empty();
  unsigned Count = 0;
  compare(Analysis->derived(), Part, [&](const Difference &Diff) {
    bool Follows = Analysis->mayFollowFromExcuse(Part, Diff);
    Severity Level = Follows || Analysis->isGuess(Part, Diff)
                         ? Severity::Warning
                         : Severity::Error;
    Diags.exempt("newer-rule", Level == Severity::Warning);
    if (First || Count < MaxConsequences || (Excuses && !Follows)) {
      Finding F = Describe({*Analysis, Diags, Level}, Diff);
      // The first finding of the first part collects what follows from it.
      if (!Excuses && (!First || Count == 0))
        F.about(Section::Module);
    }
    ++Count;
    return true;
  });
}
