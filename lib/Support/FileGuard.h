// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are not written over.
//
// Whatever reads a file calls keepFile(), and whatever writes one is an
// AtomicFile, which asks here: no output of any tool takes the place of what
// the same run reads, under whatever name.

#ifndef HLOBUF_SUPPORT_FILEGUARD_H
#define HLOBUF_SUPPORT_FILEGUARD_H

#include "Support/LLVM.h"
#include <optional>

namespace hlobuf {

/// From now on, this process does not write the regular file at \p Path, which
/// it reads; `-` is standard input.
void keepFile(StringRef Path);

/// True if keepFile() was told of the file at \p Path under this or another
/// name, and it is still there.
bool isKept(StringRef Path);

/// The descriptor of this process that \p Path names, as `/dev/fd/3`.
std::optional<int> descriptorOf(StringRef Path);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_FILEGUARD_H
