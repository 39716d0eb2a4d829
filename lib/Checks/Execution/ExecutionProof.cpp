// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that has to be shown of an execution is shown (Proof/Kernel.h).
//
// Each obligation is enumerated before anything is decided, and ends proved,
// assumed, open, or violated. What is open is not checked here, for all checks
// of the sentence; what is violated is told by the check that knows its story,
// or here. A dump with another module is not judged by this one.

#include "Checks/AboutInstruction.h"
#include "Checks/Execution/Violations.h"
#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;
using namespace hlobuf::proof;

static constexpr llvm::StringLiteral Tellers[] = {
#define HLOBUF_BREACH(Enumerator, Text, Check) Check,
#include "Proof/Reasons.def"
};

std::vector<Violation> hlobuf::violations(const proof::Proof &Shown,
                                          llvm::StringRef Check) {
  std::vector<Violation> All;
  for (const Ledger::Row &R : Shown.Book.rows())
    if (R.How == OutcomeKind::Violated && Tellers[R.Code] == Check)
      All.push_back({R.Owed, Breach(R.Code), Shown.Book.outcome(R).evidence()});
  return All;
}

/// Counts gates, and says why what is open is open.
static void reportOpen(const proof::Proof &Shown, Reporter &Diags) {
  std::string Reason;
  for (const Ledger::Row &R : Shown.Book.rows()) {
    if (R.How == OutcomeKind::Assumed)
      Diags.exempt(gateName(Gate(R.Code)));
    if (R.How != OutcomeKind::Gap)
      continue;
    llvm::StringRef Why = Shown.Book.outcome(R).why();
    if (Reason != Why)
      Diags.notChecked(Reason = Why.str());
  }
  if (!Shown.Obstacle.empty())
    Diags.notChecked(Shown.Obstacle);
  if (Shown.Book.faults().any())
    Diags.notChecked("the proof itself is wrong: please report it");
}

/// `12,345 reads, 320 in place`: what was proved.
static std::string extentOf(const proof::Proof &Shown) {
  size_t Reads = Shown.Book.rows(Topic::Read).size();
  size_t InPlace = Shown.Book.rows(Topic::InPlace).size();
  std::string Text = counted(Reads, "read");
  return InPlace == 0 ? Text : fmt::format("{}, {} in place", Text, InPlace);
}

static void report(const ModuleAnalysis &Analysis, const Violation &V,
                   Reporter &Diags) {
  const Program &P = Analysis.program();
  const Dump &D = P.facts().dump();
  bool AtLine = subjectOf(V.Owed.What) == TopicSubject::Line;
  ValueId Line = AtLine ? ValueId(V.Owed.Part) : V.Shown.Lost;
  llvm::StringRef Where = P.facts().places().value(D.Values[0]).Tag.Whole;
  if (V.Owed.At)
    Where = P.place(V.Owed.At);
  else if (Line)
    Where = P.facts().places().value(D[Line]).Tag.Whole;
  Finding F =
      Diags.report(Where, "{} is not shown: {} ({})",
                   spellObligation(P, V.Owed), breachText(V.How), V.Shown.Text);
  if (Line)
    F.about(Line);
  if (V.Shown.By)
    F.about(V.Shown.By);
  if (V.Owed.At)
    aboutInstruction(F, P, V.Owed.At);
  if (Analysis.firstDifference())
    F.about(Section::Module);
}

void hlobuf::checkExecutionProof(const CheckContext &Ctx, Reporter &Diags) {
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  const proof::Proof &Shown = *Ctx.proof();
  reportOpen(Shown, Diags);
  for (const Violation &V : violations(Shown, "execution-proof"))
    report(*Analysis, V, Diags);
  Diags.measure(extentOf(Shown));
}
