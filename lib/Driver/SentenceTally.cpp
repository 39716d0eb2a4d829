// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/SentenceTally.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

static constexpr Sentence All[] = {Sentence::NoOverlap, Sentence::Execution,
                                   Sentence::Agreement, Sentence::Program,
                                   Sentence::Consistency};

/// Groups of sentences with their reasons that the last line gives for one
/// dump; of a dump with more it gives all reasons together.
static constexpr size_t MaxGaps = 2;
/// The same for a run.
static constexpr size_t MaxGapsOfRun = 3;

SentenceTally::Gap SentenceTally::join(const ReasonTable &ByReasons) {
  Gap All;
  for (const auto &[Reasons, Which] : ByReasons) {
    llvm::append_range(All.first, Which);
    for (const std::string &Reason : *Reasons)
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
  for (Sentence S : All) {
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
      ByReasons[&Result.Reasons].push_back(S);
  }
  for (const auto &[Reasons, Which] : ByReasons)
    AllGaps[{Which, *Reasons}].add(R);
  if (ByReasons.size() <= MaxGaps)
    for (const auto &[Reasons, Which] : ByReasons)
      Gaps[{Which, *Reasons}].add(R);
  else
    Gaps[join(ByReasons)].add(R);
}

bool SentenceTally::anyBroken() const {
  return llvm::any_of(
      All, [&](Sentence S) { return ended(S, Standing::Broken) != 0; });
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
    for (const auto &[What, In] : of(S).Assumptions)
      Remarks.push_back(In == Count ? fmt::format("on {}", What)
                                    : fmt::format("{} on {}", In, What));
  std::string Text = sentenceName(S).str();
  if (!Remarks.empty())
    Text += fmt::format(" ({})", llvm::join(Remarks, ", "));
  return Text;
}

/// The sentences that ended as \p Is, separated by commas.
std::string SentenceTally::list(Standing Is) const {
  std::vector<std::string> Names;
  for (Sentence S : All)
    if (ended(S, Is) != 0)
      Names.push_back(counted(S, Is));
  return llvm::join(Names, ", ");
}

/// `a, b and c`.
static std::string joinNames(llvm::ArrayRef<Sentence> Which) {
  std::string Text;
  for (size_t I = 0; I != Which.size(); ++I) {
    if (I != 0)
      Text += I + 1 == Which.size() ? " and " : ", ";
    Text += sentenceName(Which[I]);
  }
  return Text;
}

/// With \p Names, also which dump has it.
std::string SentenceTally::spell(const Gap &G, const DumpCount &Found,
                                 bool Names) const {
  std::string Text = joinNames(G.first) + " not shown";
  if (Dumps != 1) {
    Text += " in " + hlobuf::counted(Found.Count, "dump");
    if (Names)
      Text +=
          fmt::format(" ({}{})", Found.First, Found.Count == 1 ? "" : ", ..");
  }
  return Text + ": " + llvm::join(G.second, ", ");
}

/// The most frequent first; of equal ones in the order of sentences.
std::vector<std::string> SentenceTally::spellAll(const GapCounts &Some,
                                                 bool Names) const {
  std::vector<const GapCounts::value_type *> Sorted;
  for (const auto &Each : Some)
    Sorted.push_back(&Each);
  llvm::stable_sort(Sorted, [](const auto *A, const auto *B) {
    return A->second.Count > B->second.Count;
  });
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
  for (const auto &[G, Found] : Hidden)
    Lines.push_back(spell(G, Found, /*Names=*/true));
  return Lines;
}
