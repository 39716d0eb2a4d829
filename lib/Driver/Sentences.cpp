// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Sentences.h"
#include "Checks/Check.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

namespace {
/// What is left of the findings of one check, in the order in which one hides
/// another.
enum class Heard : uint8_t {
  Nothing,
  /// They are listed under another name.
  Elsewhere,
  Baselined,
  Suppressed,
  Warning,
  Error,
};

class Settling {
public:
  explicit Settling(DumpResult &R) : R(R), Outcomes(allChecks().size()) {
    // Both are in the order of Checks.def.
    size_t Next = 0;
    for (size_t I = 0; I != Outcomes.size(); ++I)
      if (Next != R.Checks.size() && R.Checks[Next].Id == allChecks()[I].Id)
        Outcomes[I] = &R.Checks[Next++];
  }

  void run();

private:
  const ResultCheck *outcome(const CheckInfo &Info) const {
    return Outcomes[&Info - allChecks().begin()];
  }
  /// What texts show does not replace what a module shows.
  bool passed(const CheckInfo &Info) const {
    const ResultCheck *C = outcome(Info);
    return C && C->Outcome == CheckOutcome::Passed && !C->Proof.FromTexts;
  }
  /// The sentence that \p Info says something of: without the module, what it
  /// compares agrees with the rest of the dump.
  Sentence sentence(const CheckInfo &Info) const {
    const ResultCheck *C = outcome(Info);
    return C && C->Proof.FromTexts ? Sentence::Consistency : Info.Proof.Subject;
  }
  Heard heard(const ResultCheck &C) const;
  bool rests(const CheckInfo &Info) const;
  bool proves(StringRef Id) const;
  bool isStated(Sentence S, const SkippedCheck &Each) const;
  void add(Sentence S, std::string Reason);
  void addSkipped(Sentence S, StringRef Id);
  void addFinding(const CheckInfo &Info, const ResultCheck &C);
  void addCheck(const CheckInfo &Info);
  void addReader();
  void addUnread(Sentence S);
  void addExtent(const CheckInfo &Info, const ResultCheck &C);
  void settle(Sentence S);

  DumpResult &R;
  /// By the number of the check; null for those that are not selected.
  std::vector<const ResultCheck *> Outcomes;
  /// Values and places are those of the module.
  bool Agrees = false;
  /// Of the sentence at hand, needed checks that are not selected.
  std::vector<StringRef> Disabled;
};
} // namespace

/// The sentence that findings of the reader are about.
static constexpr Sentence ReaderSentence = Sentence::Consistency;

static Heard hear(Silence Silenced, Severity Level) {
  if (Silenced != Silence::None)
    return Silenced == Silence::Suppressed ? Heard::Suppressed
                                           : Heard::Baselined;
  return Level == Severity::Error     ? Heard::Error
         : Level == Severity::Warning ? Heard::Warning
                                      : Heard::Elsewhere;
}

/// What of \p C's findings is left, also where they became notes of others.
Heard Settling::heard(const ResultCheck &C) const {
  if (C.Outcome != CheckOutcome::Found)
    return Heard::Nothing;
  Heard Loudest = Heard::Elsewhere;
  for (const ResultFinding &F : R.Findings)
    if (F.Check == C.Id || F.Repeated == C.Id ||
        llvm::any_of(F.Notes, [&](const ResultNote &N) {
          return N.Kind == NoteKind::Also && N.Event.Subject == C.Id;
        }))
      Loudest =
          std::max(Loudest, hear(F.Silenced, std::min(F.Level, C.Gravest)));
  return Loudest;
}

/// True if \p Info says something of the dump only if the dump has the values
/// and places of the module.
bool Settling::rests(const CheckInfo &Info) const {
  return Info.Proof.Subject != Sentence::Agreement &&
         llvm::is_contained(Info.Needs, Section::Module);
}

/// True if the check \p Id passed, and what it rests on holds.
bool Settling::proves(StringRef Id) const {
  const CheckInfo *Info = llvm::find_if(
      allChecks(), [&](const CheckInfo &Each) { return Each.Id == Id; });
  return Info != allChecks().end() && passed(*Info) &&
         (Agrees ||
          (Info->Proof.Subject != Sentence::Agreement && !rests(*Info)));
}

void Settling::add(Sentence S, std::string Reason) {
  if (!llvm::is_contained(R[S].Reasons, Reason))
    R[S].Reasons.push_back(std::move(Reason));
}

std::string hlobuf::reasonOf(const SkippedCheck &Each) {
  return Each.Missing ? fmt::format("no {} ({})", infoOf(*Each.Missing).Words,
                                    infoOf(*Each.Missing).Pattern)
                      : Each.Reason;
}

/// True if \p Each misses nothing but a module, and without one the program
/// that the dump states was executed.
bool Settling::isStated(Sentence S, const SkippedCheck &Each) const {
  // What an error is about, also one that is suppressed, may be what the dump
  // states.
  return S == Sentence::Execution && Each.Missing == FileRole::Module &&
         llvm::none_of(R.Findings,
                       [](const ResultFinding &F) {
                         return F.Level == Severity::Error;
                       }) &&
         llvm::any_of(R.Checks, [](const ResultCheck &C) {
           return C.Id == "clobbered-read" && !C.Proof.Assumption.empty() &&
                  C.Outcome == CheckOutcome::Passed;
         });
}

void Settling::addSkipped(Sentence S, StringRef Id) {
  for (const SkippedCheck &Each : R.Skipped)
    if (Each.Check == Id && !isStated(S, Each))
      add(S, reasonOf(Each));
}

void Settling::addFinding(const CheckInfo &Info, const ResultCheck &C) {
  Heard Loudest = heard(C);
  SentenceResult &Result = R[sentence(Info)];
  if (Loudest == Heard::Error) {
    if (Result.Is != Standing::Broken)
      Result.Reasons.clear();
    Result.Is = Standing::Broken;
    Result.Reasons.push_back(C.Id.str());
    return;
  }
  static constexpr StringRef Texts[] = {"", "findings that are not listed",
                                        "findings in the baseline",
                                        "findings that are suppressed"};
  if (Loudest != Heard::Nothing)
    add(sentence(Info), Loudest == Heard::Warning
                            ? fmt::format("{} warns", C.Id)
                            : Texts[static_cast<size_t>(Loudest)].str());
}

void Settling::addCheck(const CheckInfo &Info) {
  const ResultCheck *C = outcome(Info);
  if (C && C->Outcome == CheckOutcome::Found)
    return addFinding(Info, *C);
  Sentence S = sentence(Info);
  bool Rests = rests(Info);
  if (C && C->Outcome == CheckOutcome::Passed && (Agrees || !Rests))
    return;
  if (Info.Proof.Role == ClaimRole::Extra ||
      (!Info.Proof.Instead.empty() && proves(Info.Proof.Instead)))
    return;
  if (!C) {
    Disabled.push_back(Info.Id);
  } else if (R[S].Is == Standing::Broken) {
    return;
  } else if (C->Outcome == CheckOutcome::Passed) {
    add(S, R[Sentence::Agreement].Is == Standing::Broken
               ? "agreement is broken"
               : "agreement is not shown");
  } else if (C->Outcome == CheckOutcome::NotChecked ||
             (Info.Proof.Role == ClaimRole::Core && !C->Proof.FromTexts)) {
    addSkipped(S, Info.Id);
  }
}

/// Adds how much \p C looked at for its sentence, and what it assumed.
void Settling::addExtent(const CheckInfo &Info, const ResultCheck &C) {
  Sentence S = Info.Proof.Subject;
  if (!C.Proof.Extent.empty())
    R[S].Extent += (R[S].Extent.empty() ? "" : "; ") + C.Proof.Extent;
  // What the module confirms is not assumed.
  if (!C.Proof.Assumption.empty() && !proves("module-ranges"))
    R[S].Assumption = C.Proof.Assumption;
}

/// Lines and files that could not be read.
void Settling::addReader() {
  for (const ResultFinding &F : R.Findings) {
    if (F.Check == UnreadableCheck)
      add(ReaderSentence, "some files could not be read");
    if (F.Check == SyntaxCheck)
      add(ReaderSentence, F.Level == Severity::Error
                              ? "XLA does not write lines like some of these "
                                "(edited or copied?)"
                              : "some lines are not recognized");
  }
}

/// What a field means that nobody reads is not known: it may be of any
/// sentence.
void Settling::addUnread(Sentence S) {
  for (const SkippedCheck &Each : R.Skipped)
    if (Each.Check == "proto-fields" && Each.Kind == SkipKind::NotChecked)
      add(S, Each.Reason);
}

/// `phi is switched off`, `checks are switched off`.
static std::string spellOff(ArrayRef<StringRef> Disabled) {
  return Disabled.size() == 1
             ? fmt::format("{} is switched off", Disabled.front())
             : "checks are switched off";
}

void Settling::settle(Sentence S) {
  Disabled.clear();
  SentenceResult &Result = R[S];
  Result = {};
  if (S == ReaderSentence)
    addReader();
  addUnread(S);
  for (const CheckInfo &Info : allChecks())
    if (Info.Proof.Role != ClaimRole::None && sentence(Info) == S)
      addCheck(Info);
  if (Disabled.empty())
    R.ProvesNothing = false;
  if (Result.Is == Standing::Broken)
    return;
  if (!Disabled.empty())
    Result.Reasons.push_back(spellOff(Disabled));
  if (!Result.Reasons.empty())
    return;
  Result.Is = Standing::Proved;
  for (const CheckInfo &Info : allChecks())
    if (const ResultCheck *C = outcome(Info); C && Info.Proof.Subject == S)
      addExtent(Info, *C);
}

void Settling::run() {
  R.ProvesNothing = true;
  Agrees = llvm::all_of(allChecks(), [&](const CheckInfo &Info) {
    return Info.Proof.Role != ClaimRole::Core ||
           Info.Proof.Subject != Sentence::Agreement || passed(Info);
  });
  // The others may rest on it.
  settle(Sentence::Agreement);
  // Without thunks it has its reason already.
  if (R[Sentence::Program].Reasons.empty())
    settle(Sentence::Program);
  for (Sentence S :
       {Sentence::NoOverlap, Sentence::Execution, Sentence::Consistency})
    settle(S);
}

void hlobuf::settleSentences(DumpResult &R) {
  if (!R.isUnreadable())
    return Settling(R).run();
  R.ProvesNothing = true;
  for (SentenceResult &Result : R.Sentences)
    Result.Reasons = {"it could not be read"};
}

/// Groups of sentences with their reasons that the last line gives for one
/// dump; of a dump with more it gives all reasons together.
static constexpr size_t MaxGaps = 2;
/// The same for a run.
static constexpr size_t MaxGapsOfRun = 3;

SentenceTally::Gap SentenceTally::join(const ReasonTable &ByReasons) {
  Gap All;
  for (const auto &[Reasons, Sentences] : ByReasons) {
    llvm::append_range(All.first, Sentences);
    for (const std::string &Reason : Reasons)
      if (!llvm::is_contained(All.second, Reason))
        All.second.push_back(Reason);
  }
  llvm::sort(All.first);
  return All;
}

void SentenceTally::DumpCount::add(const DumpResult &R) {
  if (Count++ == 0)
    First = R.Path;
}

void SentenceTally::add(const DumpResult &R) {
  ++Dumps;
  Unproving += R.ProvesNothing;
  ReasonTable ByReasons;
  for (Sentence S : AllSentences) {
    const SentenceResult &Result = R[S];
    Tally &T = Tallies[static_cast<size_t>(S)];
    ++T.Ended[static_cast<size_t>(Result.Is)];
    T.Extent = Dumps == 1 ? Result.Extent : "";
    if (!Result.Assumption.empty())
      ++T.Assumptions[Result.Assumption];
    if (Result.Is != Standing::NotShown)
      continue;
    if (Result.Hidden)
      Hidden[{{S}, Result.Reasons}].add(R);
    else
      ByReasons[Result.Reasons].push_back(S);
  }
  for (const auto &[Reasons, Sentences] : ByReasons)
    AllGaps[{Sentences, Reasons}].add(R);
  if (ByReasons.size() <= MaxGaps)
    for (const auto &[Reasons, Sentences] : ByReasons)
      Gaps[{Sentences, Reasons}].add(R);
  else
    Gaps[join(ByReasons)].add(R);
}

bool SentenceTally::anyBroken() const {
  return llvm::any_of(AllSentences, [&](Sentence S) {
    return ended(S, Standing::Broken) != 0;
  });
}

/// `execution`, or `execution (3 of 5)` where that is not true of all dumps.
std::string SentenceTally::counted(Sentence S, Standing Is) const {
  unsigned Count = ended(S, Is);
  std::vector<std::string> Remarks;
  if (Count != Dumps)
    Remarks.push_back(fmt::format("{} of {}", Count, Dumps));
  if (Is == Standing::Proved && !of(S).Extent.empty())
    Remarks.push_back(of(S).Extent);
  if (Is == Standing::Proved)
    for (const auto &[Name, N] : of(S).Assumptions)
      Remarks.push_back(N == Count ? fmt::format("on {}", Name)
                                   : fmt::format("{} on {}", N, Name));
  std::string Text = sentenceName(S).str();
  if (!Remarks.empty())
    Text += fmt::format(" ({})", llvm::join(Remarks, ", "));
  return Text;
}

/// The sentences that ended as \p Is, separated by commas.
std::string SentenceTally::list(Standing Is) const {
  std::vector<std::string> Names;
  for (Sentence S : AllSentences)
    if (ended(S, Is) != 0)
      Names.push_back(counted(S, Is));
  return llvm::join(Names, ", ");
}

/// `a, b and c`.
static std::string joinNames(ArrayRef<Sentence> Sentences) {
  std::string Text;
  for (size_t I = 0; I != Sentences.size(); ++I) {
    if (I != 0)
      Text += I + 1 == Sentences.size() ? " and " : ", ";
    Text += sentenceName(Sentences[I]);
  }
  return Text;
}

/// With \p Names, also which dump has it.
std::string SentenceTally::spell(const Gap &G, const DumpCount &Count,
                                 bool Names) const {
  std::string Text = joinNames(G.first) + " not shown";
  if (Dumps != 1) {
    Text += " in " + hlobuf::counted(Count.Count, "dump");
    if (Names)
      Text +=
          fmt::format(" ({}{})", Count.First, Count.Count == 1 ? "" : ", ..");
  }
  return Text + ": " + llvm::join(G.second, ", ");
}

/// The most frequent first; of equal ones in the order of sentences.
std::vector<std::string> SentenceTally::spellAll(const GapCounts &Counts,
                                                 bool Names) const {
  std::vector<const GapCounts::value_type *> Sorted;
  for (const auto &Each : Counts)
    Sorted.push_back(&Each);
  std::ranges::stable_sort(Sorted, std::greater(),
                           [](const auto *A) { return A->second.Count; });
  std::vector<std::string> Lines;
  for (const auto *Each : Sorted)
    Lines.push_back(spell(Each->first, Each->second, Names));
  return Lines;
}

std::string SentenceTally::line(bool HasErrors) const {
  std::vector<std::string> Parts;
  std::string Proved = list(Standing::Proved);
  std::vector<std::string> Open = spellAll(Gaps, /*Names=*/false);
  bool Sound = Open.empty() && !HasErrors && !anyBroken();
  if (anyBroken())
    Parts.push_back("broken: " + list(Standing::Broken));
  if (!Proved.empty())
    Parts.push_back((Sound ? "sound: " : HasErrors ? "proved: " : "") + Proved);
  size_t Shown = Open.size() > MaxGapsOfRun ? MaxGapsOfRun - 1 : Open.size();
  Parts.insert(Parts.end(), Open.begin(), Open.begin() + Shown);
  if (Shown != Open.size())
    Parts.push_back(
        fmt::format("{} more reasons (see --verbose)", Open.size() - Shown));
  return llvm::join(Parts, "; ");
}

std::vector<std::string> SentenceTally::details() const {
  std::vector<std::string> Lines;
  if (isEmpty())
    return Lines;
  if (Dumps != 1 || Gaps != AllGaps)
    Lines = spellAll(AllGaps, /*Names=*/true);
  for (const auto &[G, Count] : Hidden)
    Lines.push_back(spell(G, Count, /*Names=*/true));
  return Lines;
}
