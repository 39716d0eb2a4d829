// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that were not named.

#ifndef HLOBUF_SUPPORT_REGULARFILE_H
#define HLOBUF_SUPPORT_REGULARFILE_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

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
  return File ? std::move(*File) : nullptr;
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_REGULARFILE_H
