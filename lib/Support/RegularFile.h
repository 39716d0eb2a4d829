// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that nobody named.

#ifndef HLOBUF_SUPPORT_REGULARFILE_H
#define HLOBUF_SUPPORT_REGULARFILE_H

#include "Support/FileGuard.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace hlobuf {

/// Maps the file \p Path, which nobody named and which may be there; null if it
/// is not, or is not a regular file: a pipe may wait forever, and a device go
/// on.
inline std::unique_ptr<llvm::MemoryBuffer>
openRegularFile(const llvm::Twine &Path) {
  if (!llvm::sys::fs::is_regular_file(Path))
    return nullptr;
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  keepFile(Path.str());
  return File ? std::move(*File) : nullptr;
}

/// Paths in \p Folder, as far as it can be read, in order of names. Links to
/// folders are not followed.
template <typename Iterator = llvm::sys::fs::directory_iterator>
std::vector<std::string> pathsIn(const llvm::Twine &Folder) {
  std::vector<std::string> Paths;
  std::error_code Error;
  for (Iterator Entry(Folder, Error, /*follow_symlinks=*/false), End;
       Entry != End && !Error; Entry.increment(Error))
    Paths.push_back(Entry->path());
  std::sort(Paths.begin(), Paths.end());
  return Paths;
}

/// The same with those in the folders below it.
inline std::vector<std::string> pathsBelow(const llvm::Twine &Folder) {
  return pathsIn<llvm::sys::fs::recursive_directory_iterator>(Folder);
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_REGULARFILE_H
