// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that has to be shown of an execution is shown (Proof/Kernel.h).
//
// Obligations are enumerated before they are decided, and end proved,
// assumed, open, or violated. What is open is not checked here, for all checks
// of the sentence; what is violated is reported by the check that knows its
// story, or here. A dump with another module is not judged by this one.

#include "Checks/Execution/Violations.h"
#include "Checks/Module/ModuleDifference.h"
#include "Proof/LedgerText.h"
#include <map>

using namespace hlobuf;
using namespace hlobuf::proof;

/// The rows of what the check of \p Diags reports.
static void forEachRow(const Ledger &L, const Reporter &Diags,
                       function_ref<void(const Ledger::Row &)> Visit) {
  for (Topic What : allTopics())
    if (checkOf(What) == Diags.check())
      llvm::for_each(L.rows(What), Visit);
}

void hlobuf::reportOpen(const proof::Proof &Shown, Reporter &Diags) {
  std::string Reason = Shown.Obstacle;
  if (!Reason.empty())
    Diags.notChecked(Reason);
  forEachRow(Shown.Book, Diags, [&](const Ledger::Row &R) {
    if (R.How == OutcomeKind::Assumed)
      Diags.exempt(gateName(Gate(R.Code)));
    // What stopped the proof is why.
    bool Stopped = !Shown.Obstacle.empty() && !R.Visited;
    if (R.How != OutcomeKind::Gap || Stopped)
      return;
    Outcome Open = Shown.Book.outcome(R);
    if (R.Code == uint8_t(proof::Reason::NotDerived))
      Diags.notChecked(fmt::format("{} of thunks, which does not follow from "
                                   "their instructions",
                                   Open.evidence().Text));
    else if (Reason != Open.why())
      Diags.notChecked(Reason = Open.why().str());
  });
  if (Shown.Book.faults().any())
    Diags.notChecked("the proof itself is wrong: please report it");
}

void hlobuf::tellViolations(
    const CheckContext &Ctx, Reporter &Diags,
    function_ref<void(const ModuleAnalysis &, ArrayRef<Violation>)> Tell) {
  // First, so that what both need for a while is not there at once.
  const proof::Proof *Proved = Ctx.proof();
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  const proof::Proof &Shown = *Proved;
  reportOpen(Shown, Diags);
  std::vector<Violation> All;
  forEachRow(Shown.Book, Diags, [&](const Ledger::Row &R) {
    if (R.How != OutcomeKind::Violated)
      return;
    // A line that is not there, as module-values excuses it.
    if (R.What == Topic::Placed && Analysis->isExcused(R.At, R.Part))
      Diags.notChecked("values that a newer XLA may not place");
    else
      All.push_back(
          {R.owed(), Breach(R.Code), Shown.Book.outcome(R).evidence()});
  });
  size_t Before = Diags.count();
  Tell(*Analysis, All);
  // A violation that has no story proves nothing.
  if (!All.empty() && Diags.count() == Before)
    Diags.notChecked("a violation that this check does not explain");
}

/// `12,345 reads, 320 in place`: what was proved.
static std::string extentOf(const proof::Proof &Shown) {
  size_t Reads = Shown.Book.size(Topic::Read);
  size_t InPlace = Shown.Book.size(Topic::InPlace);
  std::string Text = counted(Reads, "read");
  return InPlace == 0 ? Text : fmt::format("{}, {} in place", Text, InPlace);
}

/// The line that \p V is about; invalid if it is about none.
static ValueId lineOf(const Violation &V) {
  bool AtLine = subjectOf(V.Owed.What) == TopicSubject::Line;
  return AtLine ? ValueId(V.Owed.Part) : V.Shown.Lost;
}

static StringRef placeOf(const Program &P, const Violation &V) {
  // A color is what the line says.
  bool AtLine = !V.Owed.At || V.How == Breach::OtherSpace;
  if (ValueId Line = AtLine ? lineOf(V) : ValueId())
    return P.facts().places().value(P.facts().dump()[Line]).Tag.Whole;
  return P.place(V.Owed.At ? V.Owed.At : P.root(P.module().Entry));
}

static void setSubjects(Finding &F, const Program &P, const Violation &V) {
  if (ValueId Line = lineOf(V))
    F.about(Line);
  if (V.Shown.By)
    F.about(V.Shown.By);
  if (V.Owed.At)
    F.about(P, V.Owed.At);
}

void hlobuf::reportViolations(const ModuleAnalysis &Analysis,
                              ArrayRef<const Violation *> Alike,
                              Reporter &Diags) {
  constexpr size_t MaxNamed = 3;
  const Program &P = Analysis.program();
  const Violation &V = *Alike.front();
  const Dump &D = P.facts().dump();
  bool AtLine = subjectOf(V.Owed.What) == TopicSubject::Line;
  auto Spell = [&](const Obligation &O) {
    return AtLine ? D.spell(D.Values[O.Part].Tag) : spellObligation(P, O);
  };
  std::string Subject = Spell(V.Owed);
  // A tag has the name that the evidence begins with.
  StringRef Detail = V.Shown.Text;
  if (AtLine)
    Detail = Detail.split(": ").second;
  if (Detail == Subject || Detail.str() + "{}" == Subject)
    Detail = "";
  std::string Others;
  for (const Violation *Other : Alike.drop_front().take_front(MaxNamed - 1))
    Others += (Others.empty() ? "; also " : ", ") + Spell(Other->Owed);
  if (Alike.size() > MaxNamed)
    Others += fmt::format(" and {} more", Alike.size() - MaxNamed);
  Finding F =
      Diags.report(placeOf(P, V), "{}: {}{}{}", Subject, breachText(V.How),
                   Detail.empty() ? "" : fmt::format(" ({})", Detail), Others);
  for (const Violation *Each : Alike.take_front(MaxNamed))
    setSubjects(F, P, *Each);
  if (Analysis.firstDifference())
    F.about(Section::Module);
}

void hlobuf::reportTally(const Ledger &Book, Kind Begin, Kind End,
                         Reporter &Diags) {
  for (size_t K = size_t(Begin); K != size_t(End); ++K)
    Diags.Proof.Obligations.emplace_back(kindName(Kind(K)),
                                         Book.tally(Kind(K)));
}

void hlobuf::checkExecutionProof(const CheckContext &Ctx, Reporter &Diags) {
  tellViolations(
      Ctx, Diags,
      [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
        std::map<std::pair<Topic, Breach>, std::vector<const Violation *>> All;
        for (const Violation &V : Found)
          All[{V.Owed.What, V.How}].push_back(&V);
        for (const auto &[What, Alike] : All)
          reportViolations(Analysis, Alike, Diags);
        const Ledger &Book = Ctx.proof()->Book;
        reportTally(Book, Kind(0), Kind::Launched, Diags);
        Diags.Proof.Extent = extentOf(*Ctx.proof());
      });
}
