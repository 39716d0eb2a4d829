// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/ExitStatus.h"

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
