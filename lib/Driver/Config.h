// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file .hlobuf.yaml.

#ifndef HLOBUF_DRIVER_CONFIG_H
#define HLOBUF_DRIVER_CONFIG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace hlobuf {

/// A list of globs of checks, with what is wrong with it.
struct CheckGlobs {
  std::string Text;
  std::string Problem;

  bool operator==(const CheckGlobs &O) const { return Text == O.Text; }
};

/// Findings that somebody knows and accepts.
struct SuppressionEntry {
  CheckGlobs Check;
  /// Globs; an empty one matches everything.
  std::string Module;
  std::string Path;
  /// Of an instruction or a value that the finding is about.
  std::string Name;
  std::string Reason;
  /// Where it is in the file.
  uint32_t Line = 0;
};

/// Other settings for some paths.
struct OverrideEntry {
  std::vector<std::string> Paths;
  CheckGlobs Checks;
  CheckGlobs WarningsAsErrors;
  /// Where it is in the file.
  uint32_t Line = 0;
};

/// A budget of memory, as it is written.
struct BudgetEntry {
  std::string Module;
  std::string Space;
  std::string Max;
  /// Where it is in the file.
  uint32_t Line = 0;
};

/// What a configuration file says.
struct Config {
  /// The file; empty if there is none.
  std::string File;
  /// Its folder, absolute: paths are relative to it.
  std::string Folder;
  CheckGlobs Checks;
  CheckGlobs WarningsAsErrors;
  CheckGlobs Require;
  std::vector<SuppressionEntry> Suppressions;
  std::vector<OverrideEntry> Overrides;
  std::vector<BudgetEntry> Budgets;
};

/// The name of the file that is looked for in the folder of each dump and in
/// those above it.
constexpr llvm::StringLiteral ConfigName = ".hlobuf.yaml";

/// Reads \p Path. The error names the line and shows it, with a caret.
llvm::Expected<std::unique_ptr<Config>> readConfig(llvm::StringRef Path);

/// \p Path without `.` and `..`, from the root on.
std::string absolutePath(llvm::StringRef Path);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_CONFIG_H
