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

/// A suppression with its globs read.
struct Suppression {
  const SuppressionEntry *Entry = nullptr;
  GlobList Check;
  std::optional<llvm::GlobPattern> Module;
  std::optional<llvm::GlobPattern> Path;
  std::optional<llvm::GlobPattern> Name;
  /// The module and the path are those of some dump.
  bool Met = false;
  /// Some verified dump could have had such a finding.
  bool InScope = false;
  bool Used = false;
};

/// A configuration file, ready to be applied.
struct ActiveConfig {
  std::unique_ptr<Config> Source;
  std::vector<Suppression> Suppressions;
  /// The globs of the paths of each override.
  std::vector<std::vector<llvm::GlobPattern>> Overrides;
  /// Which overrides are about some dump.
  std::vector<bool> OverrideMet;
};

/// The settings of some dumps: the configuration file, its overrides for them,
/// and the options, which win.
struct Settings {
  ActiveConfig *File = nullptr;
  GlobTexts Texts;
  CheckSelection Selection;
  std::vector<Budget> Budgets;
  /// Checks that would run without a configuration found next to the dumps.
  std::vector<llvm::StringRef> SwitchedOff;
};

/// Finds the settings of each dump.
class SettingsFinder {
public:
  explicit SettingsFinder(const VerifyOptions &Options) : Options(Options) {}

  /// The settings of the dump \p Path. The error is a text for people.
  llvm::Expected<const Settings *> find(llvm::StringRef Path);

  /// Silences the findings of \p R that a suppression of \p S is about.
  static void suppress(DumpResult &R, const Settings &S);

  /// A line for people for each suppression that could have suppressed
  /// something and did not; for whole folders also for each suppression and
  /// override that is about no dump.
  std::vector<std::string> idleSuppressions() const;

private:
  llvm::Expected<ActiveConfig *> configFor(llvm::StringRef Folder);
  llvm::Expected<ActiveConfig *> open(llvm::StringRef File);

  const VerifyOptions &Options;
  /// By file.
  std::map<std::string, std::unique_ptr<ActiveConfig>> Configs;
  llvm::StringMap<ActiveConfig *> ByFolder;
  /// By configuration and the overrides that apply.
  std::map<std::pair<ActiveConfig *, std::vector<bool>>,
           std::unique_ptr<Settings>>
      Known;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SETTINGS_H
