//===- Driver/Summary.h - The last line of a run ----------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_SUMMARY_H
#define HLOBUF_DRIVER_SUMMARY_H

#include "Driver/Result.h"
#include <map>

namespace hlobuf {

/// Adds up what was verified and what was not.
class Summary {
public:
  void add(const DumpResult &R);

  /// One line: what was verified, what was not, and why.
  std::string line() const;

  /// Findings of any severity that are neither suppressed nor in the baseline,
  /// and required checks that could not run.
  unsigned findings() const { return Findings; }

  /// The exit status that follows.
  ExitStatus status() const;

private:
  std::string gaps() const;

  unsigned Dumps = 0;
  unsigned Unreadable = 0;
  unsigned Findings = 0;
  unsigned Errors = 0;
  unsigned Warnings = 0;
  unsigned Suppressed = 0;
  unsigned Baselined = 0;
  unsigned DumpsWithFindings = 0;
  unsigned MostVerified = 0;
  unsigned UnusedSiblings = 0;
  std::string FirstUnused;
  /// Reason to checks to number of dumps.
  std::map<std::string, std::map<std::string, unsigned>> Gaps;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SUMMARY_H
