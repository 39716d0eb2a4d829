// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in columns.

#ifndef HLOBUF_SUPPORT_TEXTCOLUMNS_H
#define HLOBUF_SUPPORT_TEXTCOLUMNS_H

#include "Support/LLVM.h"
#include <string>
#include <vector>

namespace hlobuf {

/// \p Text in lines of at most \p Width columns, broken at blanks; a longer
/// word has a line of its own.
std::vector<std::string> wrapped(StringRef Text, size_t Width);

/// \p Text, or its beginning and `...`.
std::string clipped(StringRef Text, size_t Columns);

/// \p Left and, two blanks on, \p Right, in at most \p Columns bytes: of the
/// one the end is cut off, of the other the beginning.
std::string sideBySide(StringRef Left, StringRef Right, size_t Columns);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTCOLUMNS_H
