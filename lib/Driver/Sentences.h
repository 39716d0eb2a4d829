// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checks prove together.

#ifndef HLOBUF_DRIVER_SENTENCES_H
#define HLOBUF_DRIVER_SENTENCES_H

#include "Results/Result.h"
#include <map>

namespace hlobuf {

/// Fills the sentences of \p R from the outcomes of its checks, their claims,
/// and what was silenced: so this comes after suppressions and the baseline.
///
/// A sentence is broken if one of its checks has an error that counts. It is
/// proved if every check that its proof needs ran to its end and found nothing;
/// one that does not apply is needed only where it is the core. Otherwise it is
/// not shown, with the reasons.
void settleSentences(DumpResult &R);

/// Why a check did not run, for people: for a missing file what it holds, and
/// its name.
std::string reasonOf(const SkippedCheck &Each);

/// Adds up the sentences of dumps, and spells them for the last line.
class SentenceTally {
public:
  void add(const DumpResult &R);

  /// True if no dump could have had a proof: too few checks are selected.
  bool isEmpty() const { return Dumps == Unproving; }
  bool anyBroken() const;

  /// `sound: no overlap, execution, agreement, consistency`, or what is broken,
  /// proved, and not shown with the reasons, of which the most frequent are
  /// given. \p HasErrors keeps it from looking sound.
  std::string line(bool HasErrors) const;

  /// All sentences that are not shown, also those that inputs of this kind
  /// cannot show: a line for each reason, with the first of several dumps.
  std::vector<std::string> details() const;

private:
  /// Sentences, and the reasons why they are not shown.
  using Gap = std::pair<std::vector<Sentence>, std::vector<std::string>>;

  /// One sentence.
  struct Tally {
    /// By standing: the number of dumps.
    std::array<unsigned, 3> Ended = {};
    /// Dumps whose proof rests on something that is not proved.
    std::map<std::string, unsigned> Assumptions;
    /// Of the only dump: how much was looked at.
    std::string Extent;
  };

  /// Dumps, of which the first one is named.
  struct DumpCount {
    unsigned Count = 0;
    std::string First;

    void add(const DumpResult &R);
    bool operator==(const DumpCount &O) const { return Count == O.Count; }
  };
  using GapCounts = std::map<Gap, DumpCount>;

  const Tally &of(Sentence S) const { return Tallies[static_cast<size_t>(S)]; }
  unsigned ended(Sentence S, Standing Is) const {
    return of(S).Ended[static_cast<size_t>(Is)];
  }
  std::string counted(Sentence S, Standing Is) const;
  std::string list(Standing Is) const;
  std::string spell(const Gap &G, const DumpCount &Count, bool Names) const;
  std::vector<std::string> spellAll(const GapCounts &Counts, bool Names) const;
  /// Of one dump: what is not shown for the same reasons.
  using ReasonTable = std::map<std::vector<std::string>, std::vector<Sentence>>;
  static Gap join(const ReasonTable &ByReasons);

  unsigned Dumps = 0;
  unsigned Unproving = 0;
  std::array<Tally, std::size(AllSentences)> Tallies;
  /// Dumps by what the last line says of them, and by everything.
  GapCounts Gaps, AllGaps;
  /// Those that say nothing about the dumps.
  GapCounts Hidden;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SENTENCES_H
