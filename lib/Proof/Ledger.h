// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to be shown, and what became of it.
//
// The obligations of a topic are enumerated before one of them is decided. Each
// ends with one outcome; one that nobody decided is open, and an outcome for
// what nobody enumerated is a fault of the kernel itself, after which nothing
// is proved.

#ifndef HLOBUF_PROOF_LEDGER_H
#define HLOBUF_PROOF_LEDGER_H

#include "HLO/Module.h"
#include "Support/Ids.h"
#include <array>
#include <map>

namespace hlobuf::proof {

/// A statement of Kinds.def.
enum class Kind : uint8_t {
#define HLOBUF_KIND(Enumerator, Name) Enumerator,
#include "Proof/Kinds.def"
};

/// What is shown of one thing, of Kinds.def.
enum class Topic : uint8_t {
#define HLOBUF_TOPIC(Enumerator, Kind, About, Check) Enumerator,
#include "Proof/Kinds.def"
};

inline constexpr size_t NumKinds = 0
#define HLOBUF_KIND(Enumerator, Name) +1
#include "Proof/Kinds.def"
    ;

inline constexpr size_t NumTopics = 0
#define HLOBUF_TOPIC(Enumerator, Kind, About, Check) +1
#include "Proof/Kinds.def"
    ;

/// All topics, in their order.
inline SmallVector<Topic, 32> allTopics() {
  SmallVector<Topic, 32> All;
  for (size_t I = 0; I != NumTopics; ++I)
    All.push_back(Topic(I));
  return All;
}

/// Why an obligation is proved, of Rules.def.
enum class Rule : uint8_t {
#define HLOBUF_RULE(Enumerator, Name) Enumerator,
#include "Proof/Rules.def"
};

/// What it rests on instead, of Gates.def.
enum class Gate : uint8_t {
#define HLOBUF_GATE(Enumerator, Name, Covers, Evidence) Enumerator,
#include "Proof/Gates.def"
};

/// Why it is open, of Reasons.def.
enum class Reason : uint8_t {
#define HLOBUF_REASON(Enumerator, Text) Enumerator,
#include "Proof/Reasons.def"
};

/// How it is violated, of Reasons.def.
enum class Breach : uint8_t {
#define HLOBUF_BREACH(Enumerator, Text) Enumerator,
#include "Proof/Reasons.def"
};

/// What a topic is about: which members of an Obligation name it.
enum class TopicSubject : uint8_t {
  /// Part: the number of a value line.
  Line,
  /// At, Part.
  Part,
  /// At, Part, and in Operand which of its sources.
  Source,
  /// At, Operand, OperandPart.
  Operand,
  /// At, Operand.
  OperandAlone,
  /// At, Part, Operand, OperandPart.
  Pair,
  /// At, and in Operand which of its control predecessors.
  Predecessor,
  /// Part: a number of HloModule::Aliases.
  Alias,
  /// Part: a step.
  Step,
  /// Part: a number of Dump::Uses.
  Use,
  /// The same; Operand: the number of a value line.
  UseAndLine,
  /// At.
  Instruction,
  /// Part: a number of ThunkProgram::Thunks.
  Thunk,
  /// Part: a number of ThunkProgram::Slices.
  Slice,
  /// Part: a number of ThunkProgram::Thunks; Operand: which of its rows of
  /// StatedAttributes.def.
  ThunkRow,
  /// At, a done; in Operand the instruction of the body, in OperandPart its
  /// part.
  BodyPart,
};

/// One thing that has to be shown. Parts are ordinals of ShapeTrees.
struct Obligation {
  Topic What;
  HloId At;
  uint32_t Part = 0;
  uint32_t Operand = 0;
  uint32_t OperandPart = 0;

  auto operator<=>(const Obligation &) const = default;
};

/// From good to bad.
enum class OutcomeKind : uint8_t { Proved, Assumed, Gap, Violated };

/// What shows a violation, or where a gap is.
struct Evidence {
  std::string Text;
  /// The value line that is lost, and one that is there instead; may be
  /// invalid.
  ValueId Lost = {};
  ValueId By = {};
  /// Who needs it, where that is not the obligation's instruction, and which
  /// operand that is.
  HloId Reader = {};
  uint32_t Operand = 0;

  bool empty() const { return Text.empty() && !Lost && !By && !Reader; }
};

/// What became of an obligation. There is no default: a decider cannot return
/// without having decided.
class [[nodiscard]] Outcome {
public:
  Outcome() = delete;
  Outcome(Rule By) : Outcome(OutcomeKind::Proved, uint8_t(By), {}) {}
  Outcome(Gate By) : Outcome(OutcomeKind::Assumed, uint8_t(By), {}) {}
  Outcome(Reason Why, Evidence Where)
      : Outcome(OutcomeKind::Gap, uint8_t(Why), std::move(Where)) {}
  Outcome(Reason Why, std::string Where = "")
      : Outcome(Why, Evidence{std::move(Where)}) {}
  Outcome(Breach How, Evidence Shown)
      : Outcome(OutcomeKind::Violated, uint8_t(How), std::move(Shown)) {}
  Outcome(Breach How, std::string Shown)
      : Outcome(How, Evidence{std::move(Shown)}) {}

  OutcomeKind kind() const { return How; }
  /// A Rule, Gate, Reason or Breach, by kind().
  uint8_t code() const { return Code; }
  /// The name of that in its table.
  StringRef why() const;
  const Evidence &evidence() const { return Shown; }

private:
  Outcome(OutcomeKind How, uint8_t Code, Evidence Shown)
      : How(How), Code(Code), Shown(std::move(Shown)) {}

  OutcomeKind How;
  uint8_t Code;
  Evidence Shown;
};

/// The obligations of one program, each with its outcome.
class Ledger {
public:
  /// An obligation that was enumerated.
  struct Row {
    HloId At;
    uint32_t Part;
    uint32_t Operand;
    uint32_t OperandPart;
    Topic What;
    OutcomeKind How = OutcomeKind::Gap;
    uint8_t Code = uint8_t(Reason::NeverReached);
    bool Visited = false;

    Obligation owed() const { return {What, At, Part, Operand, OperandPart}; }
  };
  /// Things that only a mistake in this library makes.
  struct Faults {
    size_t EnumeratedTwice = 0;
    size_t NotEnumerated = 0;
    size_t DecidedTwice = 0;
    size_t CountedOtherwise = 0;

    bool any() const {
      return EnumeratedTwice + NotEnumerated + DecidedTwice +
                 CountedOtherwise !=
             0;
    }
  };

  /// Most topics have at most \p Expected rows.
  explicit Ledger(bool KeepsProved = true, size_t Expected = 0)
      : KeepsProved(KeepsProved), Expected(Expected) {}

  /// Enumerates \p Owed.
  void open(Obligation Owed);
  /// Ends the enumeration of the topics that have rows.
  void seal();
  /// Closes each obligation of \p What with what \p Decide says, once.
  void decide(Topic What, function_ref<Outcome(const Obligation &)> Decide);
  /// What execution finds at one visit of \p Owed: the worst counts.
  void visit(const Obligation &Owed, const Outcome &Result);
  /// Each obligation of \p What for which \p Covers holds rests on \p By, or
  /// is worse.
  void assume(Topic What, Gate By,
              function_ref<bool(const Obligation &)> Covers);
  /// A second count of \p What, or of \p Mine of it, says \p Count.
  void compareCount(Topic What, size_t Count) {
    compareCount(What, size(What), Count);
  }
  void compareCount(Topic What, size_t Mine, size_t Count) {
    of(What).Counted = true;
    Mistakes.CountedOtherwise += Mine != Count;
  }
  /// After the last outcome: what nobody counted again is counted otherwise.
  void finish();

  /// How many obligations of \p What were enumerated.
  size_t size(Topic What) const { return of(What).Size; }
  /// How many of \p K ended so, by OutcomeKind.
  std::array<size_t, 4> tally(Kind K) const;
  /// The rows of \p What, sorted by obligation; without those that are proved,
  /// if they are not kept.
  ArrayRef<Row> rows(Topic What) const { return of(What).Rows; }
  Outcome outcome(const Row &R) const;
  const Faults &faults() const { return Mistakes; }

private:
  /// What was enumerated of one topic.
  struct Chapter {
    std::vector<Row> Rows;
    size_t Size = 0;
    /// Index of the row after the one that was visited last: most often the
    /// next one.
    size_t Next = 0;
    bool Sealed = false;
    bool Counted = false;
    bool Decided = false;
  };
  Chapter &of(Topic What) { return Chapters[size_t(What)]; }
  const Chapter &of(Topic What) const { return Chapters[size_t(What)]; }
  void note(Row &R, const Outcome &Result);
  void forgetProved(Chapter &C);

  bool KeepsProved;
  size_t Expected;
  std::array<Chapter, NumTopics> Chapters;
  /// Of gaps and violations.
  std::map<Obligation, Evidence> AllEvidence;
  Faults Mistakes;
};

/// The name of \p G in Gates.def.
StringLiteral gateName(Gate G);
/// The text of \p How in Reasons.def.
StringRef breachText(Breach How);
/// The name of \p K in Kinds.def.
StringRef kindName(Kind K);
/// The kind that \p What belongs to.
Kind kindOf(Topic What);
/// The check that reports where \p What is violated.
StringRef checkOf(Topic What);
/// What \p What is about.
TopicSubject subjectOf(Topic What);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_LEDGER_H
