// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verdicts of earlier runs.

#ifndef HLOBUF_DRIVER_VERDICTSTORE_H
#define HLOBUF_DRIVER_VERDICTSTORE_H

#include "Driver/Plan.h"
#include "Driver/StampIndex.h"
#include <mutex>

namespace hlobuf {

/// A folder with one file for each verdict, named after a hash of all that the
/// verdict depends on: the bytes of this program, the bytes of the dump's
/// files, and which checks run. The hashes of files that did not change since
/// they were read are kept in one more file, a StampIndex. What cannot be read,
/// or is not what was written, is verified again and written again. Several
/// threads and processes may use one folder.
class VerdictStore {
public:
  using Key = StampIndex::Key;

  /// \p Folder need not exist.
  explicit VerdictStore(llvm::StringRef Folder);

  /// The key of \p D; nothing if a verdict on it is not stored: its files can
  /// be read only once, hold several dumps, or cannot be read.
  std::optional<Key> keyOf(const PlannedDump &D, const SiblingPaths &Given);
  /// The result that is stored for \p K, as one of \p In.
  std::optional<DumpResult> find(const Key &K, const Input &In) const;
  /// Stores \p R, which is that of \p In, for \p K.
  void add(const Key &K, const Input &In, const DumpResult &R);
  /// Stores what is known of files and, once a day, removes verdicts that were
  /// written over 30 days ago, and found neither by this run nor since then by
  /// what a file system says of their files. No other thread may use the store
  /// then.
  void finish();
  /// Why something could not be stored; empty if all was.
  std::string trouble() const;

private:
  std::string fileOf(const Key &K) const;
  void note(std::error_code Error);
  void prune() const;
  std::error_code write(const std::string &Path, llvm::StringRef Bytes) const;

  std::string Folder;
  /// A hash of this program's bytes.
  std::optional<Key> Program;
  StampIndex Files;
  /// Guards Trouble.
  mutable std::mutex Lock;
  std::string Trouble;
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_VERDICTSTORE_H
