// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a run ends.

#ifndef HLOBUF_DRIVER_EXITSTATUS_H
#define HLOBUF_DRIVER_EXITSTATUS_H

#include "Results/Result.h"
#include "Support/ExitCodes.h"

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

} // namespace hlobuf

#endif // HLOBUF_DRIVER_EXITSTATUS_H
