// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said about one dump.
//
// Plain data without references into the texts: what printers and baselines
// work on, in the order of the inputs.

#ifndef HLOBUF_RESULTS_RESULT_H
#define HLOBUF_RESULTS_RESULT_H

#include "Dump/Model.h"
#include "Memory/MemorySummary.h"
#include "Support/Diagnostic.h"
#include "Support/Sentence.h"
#include "Support/Sources.h"
#include <array>
#include <string>
#include <vector>

namespace hlobuf {

struct Budget;

/// A span of one line. Line and column count from 1, columns in bytes; the end
/// is exclusive. No file where there is no place.
struct SourceSpan {
  std::string File;
  uint32_t Line = 0;
  uint32_t Column = 0;
  uint32_t EndColumn = 0;
  /// The columns again, counted in code points of UTF-8.
  uint32_t Character = 0;
  uint32_t EndCharacter = 0;
  /// The source line and a caret below it, for people.
  std::string Excerpt = {};
};

/// A note of a finding, or a step of its timeline.
struct ResultNote {
  SourceSpan Where;
  std::string Message;
  NoteKind Kind = NoteKind::Plain;
  TimelineStep Event = {};
};

/// What keeps a finding from counting.
enum class Silence : uint8_t {
  None,
  /// A suppression of the configuration.
  Suppressed,
  /// It is in the baseline.
  Baselined,
};

/// What a check found.
struct ResultFinding {
  Severity Level = Severity::Error;
  std::string Check;
  std::string Message;
  /// 16 hexadecimal digits, the same for the same finding in a renumbered
  /// module.
  std::string Fingerprint;
  /// The instructions and values that it is about.
  std::vector<std::string> Names;
  SourceSpan Where;
  std::vector<ResultNote> Notes;
  /// A check that found the same at the same place; empty if none.
  StringRef Repeated;
  Silence Silenced = Silence::None;
  /// Why it is suppressed, from the suppression.
  std::string Reason;
  /// See Diagnostic. A baseline cannot tell them apart and silences none.
  unsigned Uncounted = 0;

  bool isLoud() const { return Silenced == Silence::None; }
  bool isListed() const { return isLoud() && Uncounted == 0; }
  /// It is told to people step by step.
  bool isTimeline() const {
    return llvm::any_of(
        Notes, [](const ResultNote &N) { return N.Kind == NoteKind::Step; });
  }
};

/// How a check ended, in the order in which one hides another.
enum class CheckOutcome : uint8_t {
  /// It ran to its end and found nothing.
  Passed,
  /// There is nothing that it could be about.
  NotApplicable,
  /// It could not run, or not on all of the dump.
  NotChecked,
  /// It has findings, also ones that are silenced.
  Found,
};

/// A check and how it ended.
struct ResultCheck {
  /// Of static storage.
  StringRef Id;
  CheckOutcome Outcome = CheckOutcome::Passed;
  /// The gravest of its findings, before related ones were folded.
  Severity Gravest = Severity::Lint;
  CheckProof Proof = {};
};

/// What the verdict says of one sentence.
struct SentenceResult {
  Standing Is = Standing::NotShown;
  /// The checks that found it broken, or the reasons why it is not shown.
  std::vector<std::string> Reasons;
  /// What the proof assumes in addition to docs/verdict.md; empty
  /// if nothing.
  std::string Assumption;
  /// How much was proved, for people; empty if nothing is to be said.
  std::string Extent;
  /// It cannot be shown for such an input, which says nothing about it.
  bool Hidden = false;
};

/// A check that did not run, or not on all of the dump, and why.
struct SkippedCheck {
  /// Of static storage.
  StringRef Check;
  std::string Reason;
  SkipKind Kind = SkipKind::NotChecked;
  /// The file that would have made it run, where one is missing.
  std::optional<FileRole> Missing;
  /// `--require` demands that the check runs.
  bool Required = false;
};

/// What a check left out, and the gate that did it; see docs/evidence/gates.md.
struct ResultExempt {
  /// Of static storage.
  StringRef Check;
  std::string Gate;
  uint64_t Count = 0;
};

/// One dump.
struct DumpResult {
  std::string Path;
  /// See moduleNameOf().
  std::string Module;
  /// By role; empty where there is none.
  std::array<std::string, NumFileRoles> Files;
  std::vector<ResultFinding> Findings;
  /// All selected checks.
  std::vector<ResultCheck> Checks;
  /// By Sentence.
  std::array<SentenceResult, std::size(AllSentences)> Sentences;
  /// So few checks are selected that they can prove no sentence.
  bool ProvesNothing = false;
  std::vector<SkippedCheck> Skipped;
  std::vector<ResultExempt> Exempted;
  std::vector<std::string> UnusedFiles;
  /// Why it could not be read; empty if it could.
  std::string ReadError;
  std::optional<MemorySummary> Memory;
  /// Those that are about a memory space of it.
  std::vector<const Budget *> MatchedBudgets;
  unsigned Verified = 0;

  bool isUnreadable() const { return !ReadError.empty(); }
  /// Some of its files could not be read, were not written in one piece, or
  /// have lines that no XLA writes.
  bool hasUnreadable() const;
  /// Some lines are of a form that only a newer release can have: a part of the
  /// dump was not checked, and nobody silenced that.
  bool isNotUnderstood() const;
  /// Findings of \p Level that are not silenced.
  unsigned count(Severity Level) const;
  unsigned count(Silence Kind) const;
  /// Checks that ran to their end and found nothing.
  unsigned passed() const;
  /// Required checks that could not run.
  unsigned missedRequirements() const;
  /// What fails a run: errors, and required checks that could not run.
  unsigned errors() const {
    return count(Severity::Error) + missedRequirements();
  }
  bool hasErrors() const { return errors() != 0; }
  const SentenceResult &operator[](Sentence S) const {
    return Sentences[size_t(S)];
  }
  SentenceResult &operator[](Sentence S) { return Sentences[size_t(S)]; }
};

/// `proved (on the stated live ranges)`, `broken: clobbered-read`, `not shown:
/// no HLO module`.
std::string spellSentence(const SentenceResult &Result);

/// \p D with its places in \p Texts resolved.
ResultFinding resolveFinding(const Sources &Texts, Diagnostic &D);

/// \p Message without what renumbering changes: the numbers of instructions,
/// values, allocations and steps, and counts of bytes. Shapes stay.
std::string withoutNumbers(StringRef Message);

/// The module's name as far as the name of its dump shows it.
StringRef moduleNameOf(StringRef Path);

/// The name of \p D's module, from its text or from \p Path, its file; empty if
/// neither has it.
StringRef moduleNameOf(const Dump &D, StringRef Path);

/// What a finding of \p Check in \p Module is recognized by in later releases
/// of the program, if \p Before findings of the module are like it.
std::string fingerprint(StringRef Check, StringRef Module, StringRef Message,
                        unsigned Before);

/// Gives each finding of \p R its fingerprint.
void setFingerprints(DumpResult &R);

} // namespace hlobuf

#endif // HLOBUF_RESULTS_RESULT_H
