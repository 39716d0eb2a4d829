// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file written as a whole.

#ifndef HLOBUF_SUPPORT_ATOMICFILE_H
#define HLOBUF_SUPPORT_ATOMICFILE_H

#include "Support/FileGuard.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace hlobuf {

/// Takes the place of a file when everything is written, and not before. The
/// new file has the permissions of the old one. A symbolic link stays, and what
/// it leads to is written.
///
/// Where a new file could not be what the old one is (another owner, several
/// names, a folder that nothing can be added to), the old one is written over
/// at the end. What is not a regular file (a pipe, a terminal) is written
/// directly; so is a descriptor of this process (`/dev/stdout`), at the place
/// that it has reached. Nothing is written over what the process reads, or
/// twice (OutputClaim).
class AtomicFile {
public:
  /// Without \p MayBeInput, fails if this process reads the file.
  static llvm::Expected<std::unique_ptr<AtomicFile>>
  create(llvm::StringRef Path, bool MayBeInput = false);
  /// Discards what was not committed.
  ~AtomicFile();

  llvm::raw_ostream &os() { return *OS; }
  llvm::Error commit();

private:
  std::error_code open();
  std::error_code openDirectly(int Descriptor);
  bool openBeside(const llvm::sys::fs::file_status *Old);
  std::error_code finish();

  OutputClaim Claim;
  bool MayBeInput = false;
  /// As it was given, for messages.
  std::string Path;
  /// Where the links of Path lead; empty where it is written directly.
  std::string Target;
  std::optional<llvm::sys::fs::TempFile> Temporary;
  /// What Target is written over with at the end, without a temporary file.
  std::optional<std::string> Content;
  /// Null where Content is written to.
  llvm::raw_fd_ostream *File = nullptr;
  std::unique_ptr<llvm::raw_ostream> OS;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_ATOMICFILE_H
