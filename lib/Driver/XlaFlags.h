//===- Driver/XlaFlags.h - The variable XLA_FLAGS ---------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_XLAFLAGS_H
#define HLOBUF_DRIVER_XLAFLAGS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hlobuf {

/// \p Flags, which XLA_FLAGS holds, with what makes XLA dump into \p Folder.
/// Where they already name a folder, that one is kept and \p Folder becomes
/// it, unless \p Override is set.
std::string addDumpFlags(llvm::StringRef Flags, std::string &Folder,
                         bool Override = false);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_XLAFLAGS_H
