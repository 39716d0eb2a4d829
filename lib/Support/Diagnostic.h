// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as data.

#ifndef HLOBUF_SUPPORT_DIAGNOSTIC_H
#define HLOBUF_SUPPORT_DIAGNOSTIC_H

#include "Support/Ids.h"
#include "llvm/ADT/STLExtras.h"
#include <string>
#include <vector>

namespace hlobuf {

/// How much a finding matters, in ascending order.
enum class Severity : uint8_t {
  /// Wasteful or unusual, never wrong. Off by default.
  Lint,
  /// Contradicts the known compilers, but some release could mean it.
  Warning,
  /// The assignment is broken or contradicts itself on every release.
  Error,
};

/// `lint`, `warning` or `error`.
StringRef severityName(Severity Level);

/// Why a check did not run, or not on all of a dump.
enum class SkipKind : uint8_t {
  /// There is nothing that the rule could be about, and no file would change
  /// that: the release prints no such thing.
  NotApplicable,
  /// It could have found something: a file is missing or damaged, or the tool
  /// does not understand enough.
  NotChecked,
};

/// `not-applicable` or `not-checked`.
StringRef skipKindName(SkipKind Kind);

/// What a note adds to its finding. A finding with steps is told to people as
/// a timeline; its plain notes are then for the other formats only.
enum class NoteKind : uint8_t {
  /// A line elsewhere that explains the finding.
  Plain,
  /// What happens at one step of the schedule.
  Step,
  /// What in the dump, or in the program, is wrong.
  Why,
  /// Another check that found the same.
  Also,
  /// A known defect of a compiler that it may be.
  Known,
  /// What to do: a way around it, the command that makes the module small.
  Next,
};

/// `plain`, `step`, `why`, `also`, `known` or `next`.
StringRef noteKindName(NoteKind Kind);

/// What an instruction does to the bytes that a timeline is about.
enum class StepRole : uint8_t { Other, Defines, Overwrites, Reads };

/// A line of a timeline.
struct TimelineStep {
  /// Negative where the step is not known.
  int32_t Step = -1;
  /// The instruction or value.
  std::string Subject;
  /// What happens to it: `defined: f32[8], bytes [0, 32) of allocation 0`.
  std::string Action;
  /// `file.py:12` of the program; empty if unknown.
  std::string Source;
  StepRole Role = StepRole::Other;
  /// As printed, of static storage; empty if unknown.
  StringRef Opcode = {};
  /// Of one element of the value that is defined; 0 if unknown.
  unsigned Bits = 0;
};

/// A line elsewhere that explains a finding.
struct Note {
  StringRef Where;
  std::string Message;
  NoteKind Kind = NoteKind::Plain;
  /// Of notes of kind Step. Of kind Also, Subject is the check, and Action what
  /// it says unless that is a timeline too.
  TimelineStep Event = {};
};

/// One finding. Texts are lower case, without a final period; what is there
/// comes first, then what was expected.
struct Diagnostic {
  Severity Level = Severity::Error;
  /// The id of the check, or of the reader's rule.
  StringRef Check;
  /// The narrowest wrong span, inside one of the sources.
  StringRef Where;
  std::string Message;
  std::vector<Note> Notes;
  /// What the finding is about: a kind (value, allocation, instruction, ..)
  /// and a number of that kind. Findings that share one have one cause.
  SmallVector<IdPair, 4> Subjects;
  /// The instructions and values that it is about, for filters; no prose.
  SmallVector<std::string, 2> Names;
  /// A check that found the same at the same place, and is not told; empty if
  /// none.
  StringRef Repeated;
  /// Not 0: this stands for so many findings of the check, of its level at
  /// most, that are only counted; it has no text.
  unsigned Uncounted = 0;
  /// Order of causes: of findings about one subject the lowest rank leads.
  unsigned Rank = 0;

  bool isTimeline() const {
    return llvm::any_of(Notes,
                        [](const Note &N) { return N.Kind == NoteKind::Step; });
  }
};

/// Folds findings that share a subject into one: the most severe leads, then
/// the one with the lowest rank, then the first of \p All, which the caller
/// has sorted by place; the others become its notes. One planted fault so gives
/// one finding, not a cascade.
void foldRelated(std::vector<Diagnostic> &All);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_DIAGNOSTIC_H
