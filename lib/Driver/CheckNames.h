// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of checks, as people write them.

#ifndef HLOBUF_DRIVER_CHECKNAMES_H
#define HLOBUF_DRIVER_CHECKNAMES_H

#include "Support/Globs.h"
#include <string>

namespace hlobuf {

/// Globs of names of checks; old names stand for the checks that have the rule
/// now.
llvm::Expected<GlobList> parseCheckGlobs(llvm::StringRef Text);

/// A sentence on \p Name, a name or a glob that no check has. It suggests the
/// nearest name if at most a third of its characters differ.
std::string unknownCheck(llvm::StringRef Name);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_CHECKNAMES_H
