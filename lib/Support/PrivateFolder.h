// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders that nobody else can enter.

#ifndef HLOBUF_SUPPORT_PRIVATEFOLDER_H
#define HLOBUF_SUPPORT_PRIVATEFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include <string>

namespace hlobuf {

/// Makes a folder in \p Parent, without one among the system's temporary files,
/// whose name begins with \p Prefix. Whatever the umask is, it is for this user
/// alone: what is run or believed out of it must be ours.
llvm::ErrorOr<std::string> makePrivateFolder(llvm::StringRef Prefix,
                                             llvm::StringRef Parent = "");

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_PRIVATEFOLDER_H
