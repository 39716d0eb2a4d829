// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of an earlier run.

#ifndef HLOBUF_RESULTS_BASELINE_H
#define HLOBUF_RESULTS_BASELINE_H

#include "Results/Result.h"
#include <map>
#include <set>

namespace hlobuf {

/// Counts findings by their fingerprints. As a file: a JSON object a line,
/// sorted by check and module.
class Baseline {
public:
  /// Reads \p Path. Fails if it is not a baseline.
  static Expected<Baseline> read(StringRef Path);

  /// Silences the findings of \p R that are known, and takes note of all.
  void apply(DumpResult &R);
  /// Takes all findings of \p R in, and silences them.
  void record(DumpResult &R);

  /// A line for people for each finding that is gone: of the modules that were
  /// seen, or with \p Everything of all.
  std::vector<std::string> gone(bool Everything) const;

  /// Number of findings, each as often as it occurs.
  unsigned size() const;

  void write(raw_ostream &OS) const;

private:
  struct Entry {
    std::string Check;
    std::string Module;
    std::string Message;
    unsigned Count = 0;
    unsigned Matches = 0;
  };
  std::vector<std::pair<std::string, const Entry *>> sorted() const;

  /// By fingerprint.
  std::map<std::string, Entry> Entries;
  std::set<std::string> Modules;
};

} // namespace hlobuf

#endif // HLOBUF_RESULTS_BASELINE_H
