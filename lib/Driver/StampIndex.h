// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of verdicts by what a file system says of files.

#ifndef HLOBUF_DRIVER_STAMPINDEX_H
#define HLOBUF_DRIVER_STAMPINDEX_H

#include "Support/FileStamp.h"
#include "llvm/Support/BLAKE3.h"
#include <mutex>
#include <set>
#include <vector>

namespace hlobuf {

/// What files hold, as far as they are what they were when they were read:
/// saves reading them again. As in git's index, files that were changed just
/// before they were read are left out, because the next change may not show.
/// Several threads may use one.
class StampIndex {
public:
  /// After so many days without a use an entry is left out.
  static constexpr uint32_t KeptDays = 30;

  using Key = llvm::BLAKE3Result<32>;
  /// A hash of all stamps, and of what else a key depends on.
  using Stamp = llvm::BLAKE3Result<16>;

  /// Takes \p Bytes, undamaged, which bytes() made in an earlier run of
  /// \p Program, a hash of this program's bytes; those of another are left.
  void load(llvm::StringRef Bytes, const Key &Program);

  std::optional<Key> find(const Stamp &Of);
  /// Files with \p Of have \p Content.
  void add(const Stamp &Of, const Key &Content);

  /// \p Content was found without a stamp.
  void use(const Key &Content);

  /// No verdict was removed today. Says so once.
  bool takePruning();
  /// What was found or added in the last KeptDays, and what this run used.
  std::set<Key> used() const;

  /// The index to be stored: entries of the last 30 days, the newest where
  /// there are many. Nothing if it is as it was.
  std::optional<std::string> bytes(const Key &Program);

private:
  struct Entry {
    Stamp Of;
    Key Content;
    /// The day of its last use, since 1970.
    uint32_t Day = 0;
  };

  /// Sorted by Of.
  std::vector<Entry> Known;
  /// Guards all below, and the days of Known.
  std::mutex Lock;
  std::vector<Entry> Added;
  std::set<Key> Unstamped;
  /// The last day on which verdicts were removed.
  uint32_t PruningDay = 0;
  bool Changed = false;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_STAMPINDEX_H
