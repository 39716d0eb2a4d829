// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file written as a whole.

#ifndef HLOBUF_SUPPORT_ATOMICFILE_H
#define HLOBUF_SUPPORT_ATOMICFILE_H

#include "Support/FileGuard.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace hlobuf {

/// Takes the place of a file when everything is written, and not before. The
/// new file has the permissions of the old one. A symbolic link stays, and what
/// it leads to is written.
///
/// Where a new file could not be what the old one is (another owner, several
/// names, a folder that nothing can be added to), and what is not a regular
/// file (a pipe, a terminal), is written over; so is a descriptor of this
/// process (`/dev/stdout`), at the place that it has reached. Nothing is
/// written over what the process reads.
class AtomicFile {
public:
  /// Fails if the file cannot be written, or, without \p MayBeInput, if this
  /// process reads it.
  static Expected<std::unique_ptr<AtomicFile>> create(StringRef Path,
                                                      bool MayBeInput = false);

  raw_ostream &os() { return OS; }
  Error commit();

private:
  bool MayBeInput = false;
  std::string Path;
  std::string Content;
  llvm::raw_string_ostream OS{Content};
};

/// Writes \p Text as an AtomicFile at \p Path.
Error writeFile(StringRef Path, StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_ATOMICFILE_H
