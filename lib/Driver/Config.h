// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file .hlobuf.yaml.

#ifndef HLOBUF_DRIVER_CONFIG_H
#define HLOBUF_DRIVER_CONFIG_H

#include "Driver/Budget.h"
#include <memory>
#include <string>
#include <vector>

namespace hlobuf {

/// A list of globs of checks, with what is wrong with it.
struct CheckGlobs {
  std::string Text;
  std::string Problem;
};

/// Findings that somebody knows and accepts.
struct Suppression {
  CheckGlobs Check;
  /// See matchesGlob().
  std::string Module;
  std::string Path;
  /// Of an instruction or a value that the finding is about.
  std::string Name;
  std::string Reason;
  /// Where it is in the file.
  uint32_t Line = 0;
  /// The module and the path are those of some dump.
  bool Matched = false;
  /// Some verified dump could have had such a finding.
  bool InScope = false;
  bool Used = false;
};

/// What a configuration file says, and what of it was of use.
struct Config {
  /// The file; empty if there is none.
  std::string File;
  /// Its folder, absolute: paths are relative to it.
  std::string Folder;
  CheckGlobs Checks;
  CheckGlobs WarningsAsErrors;
  CheckGlobs Require;
  std::vector<Suppression> Suppressions;
  std::vector<Budget> Budgets;
};

/// The name of the file that is looked for in the folder of each dump and in
/// those above it.
constexpr StringLiteral ConfigName = ".hlobuf.yaml";

/// Reads \p Path. The error names the line and shows it, with a caret.
Expected<std::unique_ptr<Config>> readConfig(StringRef Path);

/// \p Path without `.` and `..`, from the root on.
std::string absolutePath(StringRef Path);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_CONFIG_H
