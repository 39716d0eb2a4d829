// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file written as a whole.

#ifndef HLOBUF_SUPPORT_ATOMICFILE_H
#define HLOBUF_SUPPORT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace hlobuf {

/// Takes the place of a file when everything is written, and not before. The
/// new file has the permissions of the old one, and its owner and group where
/// that is allowed. A symbolic link stays, and what it leads to is written,
/// also where that does not exist yet.
///
/// A file in a folder that nothing can be added to, and one with several names,
/// is written over at the end. What is not a regular file (a pipe, a terminal)
/// is written directly; so is a descriptor of this process (`/dev/stdout`), at
/// the place that it has reached.
class AtomicFile {
public:
  static llvm::Expected<std::unique_ptr<AtomicFile>>
  create(llvm::StringRef Path);
  /// Discards what was not committed.
  ~AtomicFile();

  llvm::raw_ostream &os() { return *OS; }
  llvm::Error commit();

private:
  std::error_code openBeside();
  std::error_code openForLater();
  std::error_code openDirectly();
  std::error_code overwrite();

  /// As it was given, for messages.
  std::string Path;
  /// Where links lead.
  std::string Target;
  /// Empty where Target is written directly. A signal removes it.
  std::string Temporary;
  /// The content is copied to Target at the end.
  bool Copy = false;
  std::unique_ptr<llvm::raw_fd_ostream> OS;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_ATOMICFILE_H
