// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/LedgerText.h"
#include "Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using namespace hlobuf::proof;

std::string proof::spellObligation(const Program &P, const Obligation &O) {
  auto Path = [&](HloId Id, uint32_t Ordinal) {
    return fmt::format("{{{}}}",
                       fmt::join(P.trees().steps(P[Id].Shape, Ordinal), ","));
  };
  auto Operand = [&] {
    HloId Id = P.operands(O.At)[O.Operand];
    return fmt::format("operand {}{}", O.Operand, Path(Id, O.OperandPart));
  };
  switch (subjectOf(O.What)) {
  case TopicSubject::Line: {
    const ValueTag &Tag = P.facts().dump().Values[O.Part].Tag;
    return fmt::format("value {}", Tag.Id);
  }
  case TopicSubject::Part:
    return P.spell(O.At) + Path(O.At, O.Part);
  case TopicSubject::Source:
    return fmt::format("{}{} source {}", P.spell(O.At), Path(O.At, O.Part),
                       O.Operand);
  case TopicSubject::Operand:
    return P.spell(O.At) + " " + Operand();
  case TopicSubject::OperandAlone:
    return fmt::format("{} operand {}", P.spell(O.At), O.Operand);
  case TopicSubject::Pair:
    return P.spell(O.At) + Path(O.At, O.Part) + " " + Operand();
  case TopicSubject::Predecessor:
    return fmt::format("{} predecessor {}", P.spell(O.At), O.Operand);
  case TopicSubject::Alias:
    return fmt::format("alias {}", O.Part);
  case TopicSubject::Step:
    return fmt::format("step {}", O.Part);
  case TopicSubject::Use:
  case TopicSubject::UseAndLine:
    break; // of stated programs
  case TopicSubject::Instruction:
    return P.spell(O.At);
  case TopicSubject::Thunk:
    return fmt::format("thunk {}", O.Part);
  case TopicSubject::Slice:
    return fmt::format("slice {}", O.Part);
  case TopicSubject::ThunkRow:
    return fmt::format("thunk {} attribute {}", O.Part, O.Operand);
  case TopicSubject::BodyPart:
    return fmt::format("{} waits for {}{}", P.spell(O.At),
                       P.spell(HloId(O.Operand)),
                       Path(HloId(O.Operand), O.OperandPart));
  }
  return "";
}

namespace {
/// The columns kind, topic, outcome, about, why; in text, empty ones are left
/// out.
using LedgerLine = std::array<std::string, 5>;
} // namespace

static void printLine(const LedgerLine &Line, LedgerFormat Format,
                      raw_ostream &OS) {
  static constexpr StringLiteral Names[] = {"kind", "topic", "outcome", "about",
                                            "why"};
  if (Format == LedgerFormat::Json) {
    llvm::json::OStream J(OS);
    J.object([&] {
      for (size_t I = 0; I != Line.size(); ++I)
        J.attribute(Names[I], llvm::json::fixUTF8(Line[I]));
    });
  } else {
    StringRef Separator;
    for (StringRef Text : Line)
      if (!Text.empty())
        OS << std::exchange(Separator, "\t") << Text;
  }
  OS << '\n';
}

void proof::printProof(StringRef Path, const Proof &Shown, SpellFn Spell,
                       LedgerFormat Format, raw_ostream &OS) {
  static constexpr StringLiteral Kinds[] = {"proved", "assumed", "gap",
                                            "violated"};
  static constexpr StringLiteral Topics[] = {
#define HLOBUF_TOPIC(Enumerator, What, About, Check) #Enumerator,
#include "Proof/Kinds.def"
  };
  if (!Path.empty())
    printLine({"dump", "", "", Path.str(), ""}, Format, OS);
  for (Topic What : allTopics())
    for (const Ledger::Row &R : Shown.Book.rows(What)) {
      Outcome Result = Shown.Book.outcome(R);
      std::string Why = Result.why().str();
      if (!Result.evidence().Text.empty())
        Why += ": " + Result.evidence().Text;
      printLine({kindName(kindOf(What)).str(), Topics[size_t(What)].str(),
                 Kinds[size_t(R.How)].str(), Spell(R.owed()), Why},
                Format, OS);
    }
  const Ledger::Faults &Faults = Shown.Book.faults();
  if (!Shown.Obstacle.empty())
    printLine({"stopped", "", "", "", Shown.Obstacle}, Format, OS);
  if (Faults.any())
    printLine({"kernel", "", "", "",
               fmt::format("enumerated twice {}, not enumerated {}, decided "
                           "twice {}, counted otherwise {}",
                           Faults.EnumeratedTwice, Faults.NotEnumerated,
                           Faults.DecidedTwice, Faults.CountedOtherwise)},
              Format, OS);
}
