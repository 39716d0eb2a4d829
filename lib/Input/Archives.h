// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives are not read: this says how to unpack them.

#ifndef HLOBUF_INPUT_ARCHIVES_H
#define HLOBUF_INPUT_ARCHIVES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hlobuf {

/// The command that unpacks the archive \p Path into a folder next to it. An
/// archive is known by its name, or by its first bytes \p Start; empty if it is
/// none.
std::string unpackCommand(llvm::StringRef Path, llvm::StringRef Start = {});

} // namespace hlobuf

#endif // HLOBUF_INPUT_ARCHIVES_H
