// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text on terminals and in logs.
//
// Names in a dump, and names of files, are whatever somebody wrote. On a
// terminal and in the log of a build they must not start new lines, move the
// cursor, change the direction of the text, or give commands to the system
// that shows the log (`::error` and `##[error]` of GitHub, `##vso[..]` of
// Azure).

#ifndef HLOBUF_SUPPORT_PRINTABLE_H
#define HLOBUF_SUPPORT_PRINTABLE_H

#include "Support/LLVM.h"
#include <string>

namespace hlobuf {

/// \p Text as a part of one line: what does not print is escaped, as in
/// `\x1b` and `\u202e`.
std::string printable(StringRef Text);

/// The same for a text that a line begins with, as paths do.
std::string printableStart(StringRef Text);

/// \p Line as a line of its own with every character in its column: what does
/// not print becomes a space.
std::string printableLine(StringRef Line);

/// Every line of \p Text as printableLine().
std::string printableLines(StringRef Text);

/// True for a byte of UTF-8 that does not begin a character.
constexpr bool isContinuation(char C) { return (C & 0xc0) == 0x80; }

/// The columns that \p Text takes: the characters of UTF-8 that begin in it.
size_t columns(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_PRINTABLE_H
