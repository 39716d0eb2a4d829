// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of one dump.

#ifndef HLOBUF_DRIVER_SETTINGS_H
#define HLOBUF_DRIVER_SETTINGS_H

#include "Driver/Config.h"
#include "Driver/Verify.h"
#include "Input/Inputs.h"
#include "Results/Result.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace hlobuf {

/// The settings of some dumps: the configuration file, and the options, which
/// win.
struct Settings {
  Config *File = nullptr;
  GlobTexts Texts;
  CheckSelection Selection;
  std::vector<const Budget *> Budgets;
  /// Checks that would run without a configuration found next to the dumps.
  std::vector<StringRef> SwitchedOff;
};

/// Finds the settings of each dump.
class SettingsFinder {
public:
  explicit SettingsFinder(const VerifyOptions &Options) : Options(Options) {}

  /// The settings of the dump \p Path. The error is a text for people.
  Expected<const Settings *> find(StringRef Path);

  /// Silences the findings of \p R that a suppression of \p S is about.
  static void suppress(DumpResult &R, const Settings &S);

  /// A line for people for each suppression that could have suppressed
  /// something and did not; for whole folders also for each one that is about
  /// no dump.
  std::vector<std::string> idleSuppressions() const;

private:
  Expected<Config *> configFor(StringRef Folder);
  Expected<Config *> open(StringRef File);

  const VerifyOptions &Options;
  /// By file.
  std::map<std::string, std::unique_ptr<Config>> Configs;
  StringMap<Config *> ByFolder;
  /// By configuration.
  std::map<Config *, std::unique_ptr<Settings>> Known;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SETTINGS_H
