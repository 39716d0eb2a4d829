// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of this process.

#ifndef HLOBUF_SUPPORT_PRIVATEFOLDER_H
#define HLOBUF_SUPPORT_PRIVATEFOLDER_H

#include "Support/LLVM.h"
#include <string>

namespace hlobuf {

/// A new folder that nobody else can enter, whatever the umask: what is run or
/// believed out of it must be ours. It goes away at the end with all that is in
/// it, unless it is kept.
class PrivateFolder {
public:
  /// No folder.
  PrivateFolder() = default;
  PrivateFolder(PrivateFolder &&Other) : Keep(Other.Keep) {
    Path.swap(Other.Path);
  }
  PrivateFolder &operator=(PrivateFolder &&Other) {
    Path.swap(Other.Path);
    return *this;
  }
  ~PrivateFolder();

  /// Makes one in \p Parent, a folder that exists; without one, among the
  /// system's temporary files. Its name begins with \p Prefix.
  static Expected<PrivateFolder> create(StringRef Prefix,
                                        StringRef Parent = "");

  /// Empty if there is none.
  const std::string &path() const { return Path; }

  bool Keep = false;

private:
  std::string Path;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_PRIVATEFOLDER_H
