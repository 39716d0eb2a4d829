// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file system says of a file.

#ifndef HLOBUF_SUPPORT_FILESTAMP_H
#define HLOBUF_SUPPORT_FILESTAMP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hlobuf {

/// Differs after the content of a file was changed, if the change before was
/// not just made.
struct FileStamp {
  uint64_t Device = 0;
  uint64_t Inode = 0;
  uint64_t Size = 0;
  /// Nanoseconds since 1970: of the last write, and of the last change of
  /// anything, which programs cannot set.
  int64_t Modified = 0;
  int64_t Changed = 0;

  /// True if both times are so long ago that another change will show.
  bool isSettled() const;
};

/// The stamp of the regular file \p Path; nothing for others, where there is
/// none, and where the system does not itself note the time of each change: on
/// Windows, and on network, FUSE and read-only file systems, tmpfs and
/// overlayfs. Writes through a mapping are noted when it is first written to.
std::optional<FileStamp> stampOf(const std::string &Path);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_FILESTAMP_H
