//===- Driver/Summary.h - The last line of a run ----------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_SUMMARY_H
#define HLOBUF_DRIVER_SUMMARY_H

#include "Results/ResultPrinter.h"
#include <map>
#include <set>

namespace hlobuf {

/// Adds up what was verified and what was not.
class Summary {
public:
  void add(const DumpResult &R);

  /// Says that \p Path, as `path (reason)`, was met and not searched.
  void addSkipped(llvm::StringRef Path);

  /// Says that the configuration \p File switches \p Checks off.
  void addSwitchedOff(llvm::StringRef File,
                      llvm::ArrayRef<llvm::StringRef> Checks);

  /// One line: what was verified, what was not, and why.
  std::string line() const;

  /// Findings of any severity that are neither suppressed nor in the baseline,
  /// and required checks that could not run.
  unsigned findings() const { return Findings; }

  /// The exit status that follows.
  ExitStatus status() const;

private:
  std::string gaps() const;
  /// Files that were not read, and what a configuration hides.
  std::string remarks() const;

  unsigned Dumps = 0;
  unsigned Unreadable = 0;
  unsigned Findings = 0;
  unsigned Errors = 0;
  unsigned Warnings = 0;
  unsigned Suppressed = 0;
  unsigned Baselined = 0;
  unsigned NotUnderstood = 0;
  unsigned DumpsWithFindings = 0;
  unsigned MostVerified = 0;
  unsigned UnusedSiblings = 0;
  unsigned Skipped = 0;
  /// Dumps with files that could not be read.
  unsigned Damaged = 0;
  std::string FirstUnused;
  std::string FirstSkipped;
  /// Configuration to the checks that it switches off.
  std::map<std::string, std::set<std::string>> SwitchedOff;
  /// Reason to checks to number of dumps.
  std::map<std::string, std::map<std::string, unsigned>> Gaps;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SUMMARY_H
