// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last line of a run.

#ifndef HLOBUF_DRIVER_LASTLINE_H
#define HLOBUF_DRIVER_LASTLINE_H

#include "Driver/Sentences.h"
#include "Results/ResultPrinter.h"
#include "Support/ExitCodes.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <set>

namespace hlobuf {

/// What a run counts over all dumps.
struct RunCounts {
  unsigned Dumps = 0;
  unsigned Unreadable = 0;
  /// Findings of any severity that are neither suppressed nor in the baseline,
  /// and required checks that could not run.
  unsigned Findings = 0;
  unsigned Errors = 0;
  unsigned Warnings = 0;
  unsigned Lints = 0;
  unsigned Suppressed = 0;
  unsigned Baselined = 0;
  /// Dumps with lines that only a newer release prints.
  unsigned NotUnderstood = 0;
  unsigned DumpsWithFindings = 0;
  /// Dumps with files that could not be read.
  unsigned Damaged = 0;

  void add(const DumpResult &R);
  /// The exit status that follows, whatever the format: warnings alone do not
  /// fail a run, and what could not be read outweighs an error.
  ExitStatus status() const;
};

/// Adds up what was verified and what was not.
class LastLine {
public:
  void add(const DumpResult &R);

  /// Says that \p Paths, as `path (reason)`, were met and not searched.
  void addSkipped(ArrayRef<std::string> Paths) { Skipped.add(Paths); }

  /// Says that a proto was found in \p Paths, files of an unknown kind.
  void addSearched(ArrayRef<std::string> Paths) { Searched.add(Paths); }

  /// Says that the configuration \p File switches \p Checks off.
  void addSwitchedOff(StringRef File, ArrayRef<StringRef> Checks);

  /// One line: what was found, which sentences are proved, which are not shown,
  /// and why. Where so few checks are selected that no sentence can be proved
  /// on any dump, it counts checks instead: one passed if it found nothing and
  /// ran to its end on all dumps that it applies to, of which there is one.
  std::string line() const;

  /// A line for each reason why a check did not run, with all checks: also
  /// those that do not apply.
  std::string details() const;

  const RunCounts &counts() const { return Counts; }

private:
  /// Findings and dumps: `2 dumps: 1 error in 1 dump`, and what separates them
  /// from what follows.
  std::string spellCounts(bool Introduces) const;
  std::string passed() const;
  std::string notRun() const;
  /// Checks by name, with the number of dumps.
  using CheckCounts = std::map<StringRef, unsigned>;
  std::string spellReason(StringRef Reason, const CheckCounts &Checks,
                          bool All) const;
  /// Gates, files that were not read, and what a configuration hides.
  std::string remarks() const;

  /// Files, of which the first one is named.
  struct FileCount {
    size_t Count = 0;
    std::string First;

    void add(ArrayRef<std::string> Paths);
    /// \p Title, and `file and 2 more`; empty if there are none.
    std::string text(StringRef Title) const;
  };

  RunCounts Counts;
  FileCount Unused, Skipped, Searched;
  /// Configuration to the checks that it switches off.
  std::map<std::string, std::set<std::string>> SwitchedOff;
  /// By reason: what could not be checked, and what does not apply.
  std::map<std::string, CheckCounts> NotRun, Idle;
  /// By gate: how often it was assumed.
  std::map<std::string, uint64_t> Assumed;
  /// Of each selected check, the worst outcome of all dumps; NotApplicable only
  /// where it is so for all of them.
  DenseMap<const char *, CheckOutcome> Outcomes;
  SentenceTally Sentences;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_LASTLINE_H
