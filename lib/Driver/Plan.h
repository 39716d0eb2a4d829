// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dumps are verified, and how.

#ifndef HLOBUF_DRIVER_PLAN_H
#define HLOBUF_DRIVER_PLAN_H

#include "Driver/Settings.h"

namespace hlobuf {

/// A dump and how it is verified.
struct PlannedDump {
  Input In;
  const Settings *Applied = nullptr;
};

/// What a run verifies, and what it could not find.
struct Plan {
  std::vector<PlannedDump> Dumps;
  std::vector<InputError> InputErrors;
  /// See InputList.
  std::vector<std::string> Skipped;
  std::vector<std::string> Searched;

  /// Sees to it that nothing is written over a file that some dump consists of.
  void keepFiles() const;
};

/// Finds the dumps of the options' inputs that belong to their shard, with
/// their files and settings. The error is a text for people.
llvm::Expected<Plan> makePlan(const VerifyOptions &Options,
                              SettingsFinder &Finder);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_PLAN_H
