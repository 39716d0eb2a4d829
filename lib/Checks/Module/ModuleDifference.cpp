//===- Checks/Module/ModuleDifference.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

/// Differences that follow from an earlier part and are still said.
static constexpr unsigned MaxConsequences = 3;

static bool isTimedPart(DerivedPart Part) {
  return Part == DerivedPart::Sequence || Part == DerivedPart::Ranges ||
         Part == DerivedPart::Peak;
}

/// The part that distinguishes dumps and modules of different compilation
/// stages.
static DerivedPart strangersIn(const ModuleAnalysis &W) {
  return W.states(DerivedPart::Sequence) ? DerivedPart::Sequence
                                         : DerivedPart::Values;
}

/// One warning instead of as many errors as there are instructions.
static void reportAnotherTime(const ModuleAnalysis &W, Reporter &R) {
  size_t Strange = 0;
  std::string Example;
  llvm::StringRef Where;
  const Dump &D = W.facts().dump();
  compare(W.derived(), strangersIn(W), [&](const Difference &Found) {
    Strange += Found.Kind != DifferenceKind::Unequal;
    if (!Example.empty() || Found.Kind != DifferenceKind::Invented)
      return true;
    NameId Name =
        Found.Line ? D[Found.Line].Tag.Name : D.Sequence[Found.Row].Name;
    Example = D.Names[Name].str();
    Where = Found.Line ? W.facts().places().value(D[Found.Line]).Tag.Name
                       : W.facts().places().row(D.Sequence[Found.Row]).Name;
    return true;
  });
  if (!Where.data())
    Where = D.Module.Text.take_until([](char C) { return C == '\n'; });
  R.reportAs(Severity::Warning, Where,
             "dump and module come from different compilation stages: {} {} "
             "appear in only one of them{}; they were not compared",
             Strange,
             strangersIn(W) == DerivedPart::Sequence ? "steps" : "values",
             Example.empty() ? "" : ", such as " + Example);
}

/// One warning where all values of a kind differ in a dump that may be newer
/// than this tool. The last line says that they are excused, and `--require`
/// does not take that for a check that ran.
static void reportNewRule(const ModuleAnalysis &W, Reporter &R,
                          DerivedPart Part, DescribeFn Describe) {
  R.exempt("newer-rule", W.numExcused());
  R.notChecked(
      fmt::format("all {} differ ({}): this XLA may be newer than the tool",
                  W.newRuleFor(), W.numExcused()));
  if (W.firstDifference() != Part)
    return;
  compare(W.derived(), Part, [&](const Difference &Found) {
    Describe(W, R, Severity::Warning, Found)
        .note(W.program().module().Name,
              "all {} differ: this XLA may be newer than the tool; {} more are "
              "not shown",
              W.newRuleFor(), W.numExcused() - 1);
    return false;
  });
}

void hlobuf::reportObstacle(const ModuleAnalysis &W, Reporter &R) {
  if (W.facts().dump().Values2019 == ValueForm::OneLine)
    R.notApplicable(W.obstacle().str()); // a matter of the release
  else
    R.notChecked(W.obstacle().str());
}

/// Why \p Part cannot be compared; empty if it can.
static std::string obstacleTo(const ModuleAnalysis &W, DerivedPart Part) {
  if (isTimedPart(Part) && !W.isTimed())
    return "the module is not scheduled";
  if (!W.states(Part) && isTimedPart(Part))
    return W.facts().dump().complete(Section::Used)
               ? "the instruction sequence is broken"
               : "the module omits get-tuple-elements, and only 'Used values' "
                 "shows their steps";
  return "";
}

const ModuleAnalysis *hlobuf::usableModule(const CheckContext &A, Reporter &R) {
  const ModuleAnalysis *W = A.moduleAnalysis();
  if (!W)
    return nullptr; // the driver says so
  if (!W->obstacle().empty())
    reportObstacle(*W, R);
  else if (W->isOfAnotherTime())
    R.notChecked("dump and module come from different compilation stages");
  else
    return W;
  return nullptr;
}

void hlobuf::reportDifferences(const CheckContext &A, Reporter &R,
                               DerivedPart Part, DescribeFn Describe) {
  const ModuleAnalysis *W = A.moduleAnalysis();
  if (!W)
    return;
  if (!W->obstacle().empty())
    return reportObstacle(*W, R);
  std::string Obstacle = obstacleTo(*W, Part);
  if (!Obstacle.empty())
    return W->isTimed() ? R.notCheckedWithout(A, Section::Used, Obstacle)
                        : R.notChecked(Obstacle);
  if (!W->states(Part))
    return R.notApplicable("sizes on TPU do not follow from shapes alone");
  if (W->isOfAnotherTime()) {
    if (Part == strangersIn(*W))
      reportAnotherTime(*W, R);
    R.notChecked("dump and module come from different compilation stages");
    return;
  }
  if (!W->differs(Part))
    return;
  if (!W->newRuleFor().empty() && ModuleAnalysis::mayBeNewRule(Part))
    return reportNewRule(*W, R, Part, Describe);
  bool First = W->firstDifference() == Part;
  bool Excuses = !W->newRuleFor().empty();
  unsigned Count = 0;
  compare(W->derived(), Part, [&](const Difference &Found) {
    bool Follows = W->mayFollowFromExcuse(Part, Found);
    Severity Level = Follows || W->isGuess(Part, Found) ? Severity::Warning
                                                        : Severity::Error;
    R.exempt("newer-rule", Level == Severity::Warning);
    if (First || Count < MaxConsequences || (Excuses && !Follows)) {
      Finding Said = Describe(*W, R, Level, Found);
      // The first finding of the first part collects what follows from it.
      if (!Excuses && (!First || Count == 0))
        Said.about(Section::Module);
    }
    ++Count;
    return true;
  });
}
