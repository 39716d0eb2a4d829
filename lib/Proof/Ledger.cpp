// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Ledger.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::StringRef;

static constexpr Kind Kinds[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) Kind::What,
#include "Proof/Kinds.def"
};

static constexpr TopicSubject Subjects[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) TopicSubject::About,
#include "Proof/Kinds.def"
};

StringRef proof::checkOf(Topic What) {
  static constexpr llvm::StringLiteral Checks[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) Check,
#include "Proof/Kinds.def"
  };
  return Checks[size_t(What)];
}

Kind proof::kindOf(Topic What) { return Kinds[size_t(What)]; }

TopicSubject proof::subjectOf(Topic What) { return Subjects[size_t(What)]; }

StringRef proof::kindName(Kind K) {
  static constexpr llvm::StringLiteral Names[] = {
#define HLOBUF_KIND(Enumerator, Name) Name,
#include "Proof/Kinds.def"
  };
  return Names[size_t(K)];
}

llvm::StringLiteral proof::gateName(Gate G) {
  static constexpr llvm::StringLiteral Names[] = {
#define HLOBUF_GATE(Enumerator, Name, Covers, Evidence) Name,
#include "Proof/Gates.def"
  };
  return Names[size_t(G)];
}

StringRef proof::breachText(Breach How) {
  static constexpr llvm::StringLiteral Texts[] = {
#define HLOBUF_BREACH(Enumerator, Text) Text,
#include "Proof/Reasons.def"
  };
  return Texts[size_t(How)];
}

StringRef Outcome::why() const {
  static constexpr llvm::StringLiteral Rules[] = {
#define HLOBUF_RULE(Enumerator, Name) Name,
#include "Proof/Rules.def"
  };
  static constexpr llvm::StringLiteral Reasons[] = {
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

void Ledger::seal() {
  llvm::sort(Rows, [](const Row &A, const Row &B) { return A.Owed < B.Owed; });
  for (size_t I = 1; I < Rows.size(); ++I)
    Mistakes.EnumeratedTwice += Rows[I - 1].Owed == Rows[I].Owed;
  Decided.assign(std::size(Kinds), false);
}

llvm::MutableArrayRef<Ledger::Row> Ledger::rowsOf(Topic What) {
  auto [Begin, End] = std::equal_range(
      Rows.begin(), Rows.end(), Row{Obligation{What, HloId()}},
      [](const Row &A, const Row &B) { return A.Owed.What < B.Owed.What; });
  return llvm::MutableArrayRef<Row>(Rows).slice(Begin - Rows.begin(),
                                                End - Begin);
}

llvm::ArrayRef<Ledger::Row> Ledger::rows(Topic What) const {
  return const_cast<Ledger *>(this)->rowsOf(What);
}

void Ledger::note(Row &R, Outcome Result) {
  if (R.Visited && Result.kind() <= R.How)
    return;
  R.Visited = true;
  R.How = Result.kind();
  R.Code = Result.code();
  R.Shown = ~uint32_t(0);
  if (Result.kind() < OutcomeKind::Gap)
    return;
  R.Shown = static_cast<uint32_t>(AllEvidence.size());
  AllEvidence.push_back(Result.evidence());
}

void Ledger::decide(Topic What,
                    llvm::function_ref<Outcome(const Obligation &)> Decide) {
  Mistakes.DecidedTwice += Decided[size_t(What)];
  Decided[size_t(What)] = true;
  for (Row &R : rowsOf(What))
    note(R, Decide(R.Owed));
}

void Ledger::visit(const Obligation &Owed, Outcome Result) {
  auto At =
      llvm::lower_bound(Rows, Owed, [](const Row &R, const Obligation &Wanted) {
        return R.Owed < Wanted;
      });
  if (At == Rows.end() || At->Owed != Owed)
    ++Mistakes.NotEnumerated;
  else
    note(*At, std::move(Result));
}

void Ledger::assume(Topic What, Gate By,
                    llvm::function_ref<bool(const Obligation &)> Covers) {
  for (Row &R : rowsOf(What))
    if (Covers(R.Owed))
      note(R, By);
}

Outcome Ledger::outcome(const Row &R) const {
  switch (R.How) {
  case OutcomeKind::Proved:
    return Rule(R.Code);
  case OutcomeKind::Assumed:
    return Gate(R.Code);
  case OutcomeKind::Gap:
    return {Reason(R.Code),
            R.Visited ? AllEvidence[R.Shown].Text : std::string()};
  case OutcomeKind::Violated:
    break;
  }
  return {Breach(R.Code), AllEvidence[R.Shown]};
}
