// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose file a source line is in.

#ifndef HLOBUF_HLO_SOURCEFILES_H
#define HLOBUF_HLO_SOURCEFILES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace hlobuf {

/// Who wrote a file, as far as its path shows.
enum class FileOwner : uint8_t {
  User,
  /// An installed package, as a library of layers.
  Package,
  /// What dispatches every operation, and says nothing of the program.
  Framework,
};

/// Judges \p File by its path. \p OpName is the op_name next to it: TensorFlow
/// states its own files without their folders, as somebody else's may be
/// called.
FileOwner ownerOf(llvm::StringRef File, llvm::StringRef OpName);

} // namespace hlobuf

#endif // HLOBUF_HLO_SOURCEFILES_H
