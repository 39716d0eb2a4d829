// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unused settings.

#ifndef HLOBUF_DRIVER_UNMATCHEDSETTINGS_H
#define HLOBUF_DRIVER_UNMATCHEDSETTINGS_H

#include "Driver/Settings.h"
#include <set>

namespace hlobuf {

/// Notes which budgets, requirements and questions of a run were about
/// something: a budget that is misspelled would allow everything.
class UnmatchedSettings {
public:
  explicit UnmatchedSettings(const VerifyOptions &Options) : Options(Options) {}

  /// Notes what matched \p R, which was verified with \p Applied.
  void note(const DumpResult &R, const Settings &Applied);

  /// A setting that matched nothing.
  struct Problem {
    /// It fails the run: the command line says so, or a configuration, and
    /// folders were verified. Never so under --allow-unmatched and in shards.
    bool IsError = false;
    /// `error: ..` or `note: ..`, after its place in a configuration.
    std::string Line;
  };
  std::vector<Problem> find() const;

private:
  /// What is wrong with settings of one source, with the place in it.
  using List = std::vector<std::pair<std::string, std::string>>;

  void findBudgets(const Config *File, List &Problems) const;
  void findRequirements(const Config *File, List &Problems) const;
  void findQuestions(List &Problems) const;

  const VerifyOptions &Options;
  /// Budgets that some dump has.
  std::set<const Budget *> Matched;
  /// Settings of the dumps.
  std::set<const Settings *> Used;
  /// By the questions of the command line: some dump has their values.
  std::vector<bool> Answered;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_UNMATCHEDSETTINGS_H
