// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Ledger.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::proof;

static constexpr Kind Kinds[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) Kind::What,
#include "Proof/Kinds.def"
};

static constexpr TopicSubject Subjects[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) TopicSubject::About,
#include "Proof/Kinds.def"
};

StringRef proof::checkOf(Topic What) {
  static constexpr StringLiteral Checks[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) Check,
#include "Proof/Kinds.def"
  };
  return Checks[size_t(What)];
}

Kind proof::kindOf(Topic What) { return Kinds[size_t(What)]; }

TopicSubject proof::subjectOf(Topic What) { return Subjects[size_t(What)]; }

StringRef proof::kindName(Kind K) {
  static constexpr StringLiteral Names[] = {
#define HLOBUF_KIND(Enumerator, Name) Name,
#include "Proof/Kinds.def"
  };
  return Names[size_t(K)];
}

StringLiteral proof::gateName(Gate G) {
  static constexpr StringLiteral Names[] = {
#define HLOBUF_GATE(Enumerator, Name, Covers, Evidence) Name,
#include "Proof/Gates.def"
  };
  return Names[size_t(G)];
}

StringRef proof::breachText(Breach How) {
  static constexpr StringLiteral Texts[] = {
#define HLOBUF_BREACH(Enumerator, Text) Text,
#include "Proof/Reasons.def"
  };
  return Texts[size_t(How)];
}

StringRef Outcome::why() const {
  static constexpr StringLiteral Rules[] = {
#define HLOBUF_RULE(Enumerator, Name) Name,
#include "Proof/Rules.def"
  };
  static constexpr StringLiteral Reasons[] = {
#define HLOBUF_REASON(Enumerator, Text) Text,
#include "Proof/Reasons.def"
  };
  switch (How) {
  case OutcomeKind::Proved:
    return Rules[Code];
  case OutcomeKind::Assumed:
    return gateName(Gate(Code));
  case OutcomeKind::Gap:
    return Reasons[Code];
  case OutcomeKind::Violated:
    return breachText(Breach(Code));
  }
  return "";
}

void Ledger::open(Obligation Owed) {
  Chapter &C = of(Owed.What);
  Mistakes.EnumeratedTwice += C.Sealed;
  // Pages that are not written cost nothing.
  C.Rows.reserve(Expected);
  C.Rows.push_back(
      {Owed.At, Owed.Part, Owed.Operand, Owed.OperandPart, Owed.What});
}

void Ledger::seal() {
  auto IsBefore = [](const Row &A, const Row &B) {
    return A.owed() < B.owed();
  };
  for (Chapter &C : Chapters) {
    if (C.Sealed || C.Rows.empty())
      continue;
    C.Sealed = true;
    C.Size = C.Rows.size();
    auto IsOutOfOrder = [&](const Row &A, const Row &B) {
      return !IsBefore(A, B);
    };
    if (std::adjacent_find(C.Rows.begin(), C.Rows.end(), IsOutOfOrder) ==
        C.Rows.end())
      continue;
    llvm::sort(C.Rows, IsBefore);
    for (size_t I = 1; I < C.Size; ++I)
      Mistakes.EnumeratedTwice += C.Rows[I - 1].owed() == C.Rows[I].owed();
  }
}

void Ledger::note(Row &R, const Outcome &Result) {
  if (R.Visited && Result.kind() <= R.How)
    return;
  R.Visited = true;
  R.How = Result.kind();
  R.Code = Result.code();
  if (!Result.evidence().empty())
    AllEvidence.insert_or_assign(R.owed(), Result.evidence());
}

void Ledger::decide(Topic What,
                    function_ref<Outcome(const Obligation &)> Decide) {
  Chapter &C = of(What);
  Mistakes.DecidedTwice += C.Decided;
  C.Decided = true;
  for (Row &R : C.Rows)
    note(R, Decide(R.owed()));
  forgetProved(C);
}

void Ledger::visit(const Obligation &Owed, const Outcome &Result) {
  Chapter &C = of(Owed.What);
  if (C.Next == C.Size || C.Rows[C.Next].owed() != Owed)
    C.Next = llvm::partition_point(
                 C.Rows, [&](const Row &R) { return R.owed() < Owed; }) -
             C.Rows.begin();
  if (C.Next == C.Size || C.Rows[C.Next].owed() != Owed)
    ++Mistakes.NotEnumerated;
  else
    note(C.Rows[C.Next++], Result);
}

void Ledger::assume(Topic What, Gate By,
                    function_ref<bool(const Obligation &)> Covers) {
  for (Row &R : of(What).Rows)
    if (Covers(R.owed()))
      note(R, By);
}

void Ledger::forgetProved(Chapter &C) {
  if (KeepsProved)
    return;
  std::vector<Row> Others;
  llvm::copy_if(C.Rows, std::back_inserter(Others),
                [](const Row &R) { return R.How != OutcomeKind::Proved; });
  C.Rows = std::move(Others);
}

void Ledger::finish() {
  for (Chapter &C : Chapters) {
    Mistakes.CountedOtherwise += C.Sealed && !C.Counted;
    forgetProved(C);
  }
}

std::array<size_t, 4> Ledger::tally(Kind K) const {
  std::array<size_t, 4> Ended = {};
  size_t Others = 0, Whole = 0;
  for (Topic What : allTopics()) {
    if (kindOf(What) != K)
      continue;
    Whole += size(What);
    for (const Row &R : rows(What))
      if (R.How != OutcomeKind::Proved)
        ++Others, ++Ended[size_t(R.How)];
  }
  Ended[size_t(OutcomeKind::Proved)] = Whole - Others;
  return Ended;
}

Outcome Ledger::outcome(const Row &R) const {
  auto Kept = AllEvidence.find(R.owed());
  Evidence Shown = Kept == AllEvidence.end() ? Evidence() : Kept->second;
  switch (R.How) {
  case OutcomeKind::Proved:
    return Rule(R.Code);
  case OutcomeKind::Assumed:
    return Gate(R.Code);
  case OutcomeKind::Gap:
    return {Reason(R.Code), std::move(Shown)};
  case OutcomeKind::Violated:
    break;
  }
  return {Breach(R.Code), std::move(Shown)};
}
