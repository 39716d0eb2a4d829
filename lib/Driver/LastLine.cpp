// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/LastLine.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

void RunCounts::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    ++Unreadable;
    return;
  }
  ++Dumps;
  unsigned NewErrors = R.errors();
  unsigned NewWarnings = R.count(Severity::Warning);
  unsigned NewLints = R.count(Severity::Lint);
  Errors += NewErrors;
  Warnings += NewWarnings;
  Lints += NewLints;
  Findings += NewErrors + NewWarnings + NewLints;
  DumpsWithFindings += NewErrors + NewWarnings != 0;
  Suppressed += R.count(Silence::Suppressed);
  Baselined += R.count(Silence::Baselined);
  NotUnderstood += R.isNotUnderstood();
  Damaged += R.hasUnreadable();
}

ExitStatus RunCounts::status() const {
  if (Unreadable + Damaged != 0)
    return ExitUnreadable;
  if (Errors != 0)
    return ExitErrors;
  return NotUnderstood != 0 ? ExitUnreadable : ExitSound;
}

/// Outcomes ascend, but for NotApplicable, which any other one hides.
static void addOutcome(DenseMap<const char *, CheckOutcome> &All,
                       const ResultCheck &C) {
  auto [Known, New] = All.try_emplace(C.Id.data(), C.Outcome);
  if (New || C.Outcome == CheckOutcome::NotApplicable)
    return;
  if (Known->second == CheckOutcome::NotApplicable)
    Known->second = C.Outcome;
  Known->second = std::max(Known->second, C.Outcome);
}

void LastLine::add(const DumpResult &R) {
  Counts.add(R);
  if (R.isUnreadable())
    return;
  for (const ResultCheck &C : R.Checks)
    addOutcome(Outcomes, C);
  for (const SkippedCheck &Skipped : R.Skipped)
    ++(Skipped.Kind == SkipKind::NotApplicable
           ? Idle
           : NotRun)[reasonOf(Skipped)][Skipped.Check];
  for (const ResultExempt &E : R.Exempted)
    Assumed[E.Gate] += E.Count;
  Sentences.add(R);
  Unused.add(R.UnusedFiles);
}

/// Checks with one reason that are named in the last line; more are counted.
static constexpr size_t MaxNamed = 5;

/// `a, b (reason)`, or `9 checks (reason)` unless \p All are wanted; with the
/// number of dumps where there are several.
std::string LastLine::spellReason(StringRef Reason, const CheckCounts &Checks,
                                  bool All) const {
  std::string Text = !All && Checks.size() > MaxNamed
                         ? counted(Checks.size(), "check")
                         : llvm::join(llvm::make_first_range(Checks), ", ");
  Text += fmt::format(" ({}", Reason);
  if (Counts.Dumps != 1)
    Text += ", " +
            counted(largestOf(llvm::make_second_range(Checks), std::identity()),
                    "dump");
  return Text + ')';
}

std::string LastLine::spellCounts(bool Introduces) const {
  std::vector<std::string> Parts;
  for (auto [Count, Noun] :
       {std::pair(Counts.Errors, "error"),
        std::pair(Counts.Warnings, "warning"), std::pair(Counts.Lints, "lint")})
    if (Count != 0)
      Parts.push_back(counted(Count, Noun));
  if (Counts.Suppressed != 0)
    Parts.push_back(fmt::format("{} suppressed", Counts.Suppressed));
  if (Counts.Baselined != 0)
    Parts.push_back(fmt::format("{} in the baseline", Counts.Baselined));
  std::string Text =
      Counts.Dumps == 1 ? "" : counted(Counts.Dumps, "dump") + ": ";
  Text += llvm::join(Parts, ", ");
  if (Counts.Dumps > 1 && Counts.DumpsWithFindings != 0)
    Text += fmt::format(" in {}", counted(Counts.DumpsWithFindings, "dump"));
  return Text + (Parts.empty() ? "" : Introduces ? ": " : "; ");
}

/// How many of the selected checks passed. Where none applies, that must not
/// look like a check that failed.
std::string LastLine::passed() const {
  size_t Passed = 0;
  size_t Applying = 0;
  for (const auto &[Check, Outcome] : Outcomes) {
    Passed += Outcome == CheckOutcome::Passed;
    Applying += Outcome != CheckOutcome::NotApplicable;
  }
  if (Applying != 0 || Idle.empty())
    return fmt::format("{} of {} checks passed", Passed, Applying);
  std::vector<std::string> Reasons;
  for (const auto &[Reason, Checks] : Idle)
    Reasons.push_back(spellReason(Reason, Checks, false));
  return "not applicable: " + llvm::join(Reasons, "; ");
}

std::string LastLine::notRun() const {
  std::string Text;
  StringRef Before = "; not checked: ";
  for (const auto &[Reason, Checks] : NotRun) {
    Text += (Before + spellReason(Reason, Checks, false)).str();
    Before = "; ";
  }
  return Text;
}

std::string LastLine::details() const {
  std::string Text;
  for (const std::string &Line : Sentences.details())
    Text += printable(Line) + '\n';
  auto Add = [&](StringRef Title, StringRef Reason, const auto &Checks) {
    Text += printable((Title + spellReason(Reason, Checks, true)).str()) + '\n';
  };
  for (const auto &[Reason, Checks] : Idle)
    Add("not applicable: ", Reason, Checks);
  for (const auto &[Reason, Checks] : NotRun)
    Add("not checked: ", Reason, Checks);
  return Text;
}

std::string LastLine::line() const {
  if (Counts.Dumps + Counts.Unreadable == 0)
    return "verified 0 dumps";
  std::string Text;
  if (Counts.Dumps != 0) {
    Text = Sentences.isEmpty() ? spellCounts(false) + passed() + notRun()
                               : spellCounts(Sentences.anyBroken()) +
                                     Sentences.line(Counts.Errors != 0);
    if (Counts.NotUnderstood != 0)
      Text += fmt::format("; {} with lines that are not understood",
                          counted(Counts.NotUnderstood, "dump"));
  }
  if (Counts.Unreadable != 0)
    Text += fmt::format("{}{} could not be read", Text.empty() ? "" : "; ",
                        counted(Counts.Unreadable, "input"));
  return printable(Text + remarks());
}

void LastLine::FileCount::add(ArrayRef<std::string> Paths) {
  if (Count == 0 && !Paths.empty())
    First = Paths.front();
  Count += Paths.size();
}

std::string LastLine::FileCount::text(StringRef Title) const {
  if (Count == 0)
    return "";
  std::string More = Count == 1 ? "" : fmt::format(" and {} more", Count - 1);
  return fmt::format("; {}: {}{}", Title, First, More);
}

std::string LastLine::remarks() const {
  std::vector<std::string> Gates;
  for (const auto &[Gate, Count] : Assumed)
    Gates.push_back(fmt::format("{} ({})", Gate, Count));
  std::string Text =
      Gates.empty() ? "" : "; assumed: " + llvm::join(Gates, ", ");
  Text += Unused.text("not used") + Skipped.text("not searched") +
          Searched.text("found by a search for an HloProto");
  for (const auto &[File, Checks] : SwitchedOff)
    Text += fmt::format("; switched off by {}: {}", File,
                        Checks.size() <= MaxNamed
                            ? llvm::join(Checks, ", ")
                            : counted(Checks.size(), "check"));
  return Text;
}

void LastLine::addSwitchedOff(StringRef File, ArrayRef<StringRef> Checks) {
  SwitchedOff[File.str()].insert(Checks.begin(), Checks.end());
}
