// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of this process.

#ifndef HLOBUF_REDUCE_WORKFOLDER_H
#define HLOBUF_REDUCE_WORKFOLDER_H

#include "Support/LLVM.h"
#include <string>

namespace hlobuf {

/// A new folder that nobody else can enter, whatever the umask; it goes away
/// at the end with all that is in it.
class WorkFolder {
public:
  /// Makes one in \p Parent, a folder that exists; without one, among the
  /// system's temporary files.
  static Expected<WorkFolder> create(StringRef Parent = "");

  WorkFolder(WorkFolder &&Other) : Path(std::move(Other.Path)) {
    Other.Path.clear();
  }
  WorkFolder &operator=(WorkFolder &&) = delete;
  ~WorkFolder();

  const std::string &path() const { return Path; }

private:
  explicit WorkFolder(std::string Path) : Path(std::move(Path)) {}

  /// Empty once it is moved from.
  std::string Path;
};

} // namespace hlobuf

#endif // HLOBUF_REDUCE_WORKFOLDER_H
