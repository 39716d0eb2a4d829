//===- Driver/Summary.cpp -------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Summary.h"

using namespace hlobuf;
using llvm::StringRef;

void Summary::add(const Verdict &V, llvm::ArrayRef<std::string> Unused) {
  ++Dumps;
  Errors += V.Errors;
  Warnings += V.Warnings;
  DumpsWithFindings += V.Errors + V.Warnings != 0;
  MostVerified = std::max(MostVerified, V.Verified);
  for (const NotChecked &Gap : V.Gaps)
    ++Gaps[Gap.Reason][Gap.Check];
  if (UnusedSiblings == 0 && !Unused.empty())
    FirstUnused = Unused.front();
  UnusedSiblings += static_cast<unsigned>(Unused.size());
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
        Text += (First ? "" : ", ") + Check.str();
      First = false;
      Most = std::max(Most, Count);
    }
    Text += fmt::format(" ({}{})", Reason,
                        Dumps == 1 ? "" : fmt::format(", {} dumps", Most));
  }
  return Text;
}

std::string Summary::line() const {
  std::string Text;
  if (Dumps != 0) {
    Text = fmt::format("verified {}{}: {}, {}",
                       Dumps == 1 ? "" : counted(Dumps, "dump") + " with ",
                       counted(MostVerified, "check"), counted(Errors, "error"),
                       counted(Warnings, "warning"));
    if (Dumps > 1 && DumpsWithFindings != 0)
      Text += fmt::format(" in {}", counted(DumpsWithFindings, "dump"));
    std::string Missing = gaps();
    if (!Missing.empty())
      Text += "; not checked: " + Missing;
    if (UnusedSiblings != 0)
      Text +=
          fmt::format("; not used: {}{}", FirstUnused,
                      UnusedSiblings == 1
                          ? ""
                          : fmt::format(" and {} more", UnusedSiblings - 1));
  }
  if (Unreadable != 0)
    Text += fmt::format("{}{} could not be read", Text.empty() ? "" : "; ",
                        counted(Unreadable, "input"));
  return Text;
}
