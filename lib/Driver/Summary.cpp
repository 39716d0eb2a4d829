//===- Driver/Summary.cpp -------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Summary.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;
using llvm::StringRef;

void Summary::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    ++Unreadable;
    return;
  }
  ++Dumps;
  unsigned NewErrors = R.errors();
  unsigned NewWarnings = R.count(Severity::Warning);
  Errors += NewErrors;
  Warnings += NewWarnings;
  Suppressed += R.count(Silence::Suppressed);
  Baselined += R.count(Silence::Baselined);
  NotUnderstood += R.isNotUnderstood();
  Findings += NewErrors + NewWarnings + R.count(Severity::Lint);
  DumpsWithFindings += NewErrors + NewWarnings != 0;
  Damaged += R.hasUnreadable();
  MostVerified = std::max(MostVerified, R.Verified);
  for (const ResultGap &Gap : R.Gaps)
    ++Gaps[Gap.Reason][Gap.Check];
  if (UnusedSiblings == 0 && !R.UnusedFiles.empty())
    FirstUnused = R.UnusedFiles.front();
  UnusedSiblings += static_cast<unsigned>(R.UnusedFiles.size());
}

ExitStatus Summary::status() const {
  if (Unreadable + Damaged != 0)
    return ExitTrouble;
  if (Errors != 0)
    return ExitErrors;
  return NotUnderstood != 0 ? ExitTrouble : ExitSound;
}

static std::string counted(unsigned Count, StringRef Noun) {
  return fmt::format("{} {}{}", Count, Noun, Count == 1 ? "" : "s");
}

/// Checks with one reason that are named in the last line; more are counted.
static constexpr size_t MaxNamed = 5;

/// `a, b (reason); 9 checks (reason)`; with the number of dumps where not all
/// dumps share the gap.
std::string Summary::gaps() const {
  std::string Text;
  for (const auto &[Reason, Checks] : Gaps) {
    if (!Text.empty())
      Text += "; ";
    unsigned Most = 0;
    bool First = true;
    bool Named = Checks.size() <= MaxNamed;
    if (!Named)
      Text += counted(static_cast<unsigned>(Checks.size()), "check");
    for (const auto &[Check, Count] : Checks) {
      if (Named)
        Text += (First ? "" : ", ") + Check;
      First = false;
      Most = std::max(Most, Count);
    }
    Text += fmt::format(" ({}{})", Reason,
                        Dumps == 1 ? "" : fmt::format(", {} dumps", Most));
  }
  return Text;
}

std::string Summary::line() const {
  if (Dumps + Unreadable == 0)
    return "verified 0 dumps";
  std::string Text;
  if (Dumps != 0) {
    Text = fmt::format("verified {}{}: {}, {}",
                       Dumps == 1 ? "" : counted(Dumps, "dump") + " with ",
                       counted(MostVerified, "check"), counted(Errors, "error"),
                       counted(Warnings, "warning"));
    if (Suppressed != 0)
      Text += fmt::format(", {} suppressed", Suppressed);
    if (Baselined != 0)
      Text += fmt::format(", {} in the baseline", Baselined);
    if (Dumps > 1 && DumpsWithFindings != 0)
      Text += fmt::format(" in {}", counted(DumpsWithFindings, "dump"));
    std::string Missing = gaps();
    if (!Missing.empty())
      Text += "; not checked: " + Missing;
    if (NotUnderstood != 0)
      Text += fmt::format("; {} with lines that are not understood",
                          counted(NotUnderstood, "dump"));
  }
  if (Unreadable != 0)
    Text += fmt::format("{}{} could not be read", Text.empty() ? "" : "; ",
                        counted(Unreadable, "input"));
  return printable(Text + remarks());
}

static std::string andMore(StringRef First, unsigned Count) {
  return Count == 1 ? First.str()
                    : fmt::format("{} and {} more", First, Count - 1);
}

std::string Summary::remarks() const {
  std::string Text;
  if (UnusedSiblings != 0)
    Text += "; not used: " + andMore(FirstUnused, UnusedSiblings);
  if (Skipped != 0)
    Text += "; not searched: " + andMore(FirstSkipped, Skipped);
  for (const auto &[File, Checks] : SwitchedOff)
    Text += fmt::format(
        "; switched off by {}: {}", File,
        Checks.size() <= MaxNamed
            ? llvm::join(Checks, ", ")
            : counted(static_cast<unsigned>(Checks.size()), "check"));
  return Text;
}

void Summary::addSkipped(StringRef Path) {
  if (Skipped++ == 0)
    FirstSkipped = Path.str();
}

void Summary::addSwitchedOff(StringRef File, llvm::ArrayRef<StringRef> Checks) {
  std::set<std::string> &Known = SwitchedOff[File.str()];
  for (StringRef Check : Checks)
    Known.insert(Check.str());
}
