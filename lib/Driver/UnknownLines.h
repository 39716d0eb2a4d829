// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that a newer XLA prints.

#ifndef HLOBUF_DRIVER_UNKNOWNLINES_H
#define HLOBUF_DRIVER_UNKNOWNLINES_H

#include "Dump/Reader.h"
#include "Facts/ReleaseWindow.h"

namespace hlobuf {

/// Replaces the syntax errors about lines of a kind that no release known to
/// this tool prints by one warning for each kind. That takes a dump of the
/// newest era, \p E, and a kind that is not damage: several lines begin with
/// the same word, which is neither a known one, nor almost one, nor a name of
/// the dump. True if no error is left, so that what is damaged is only not
/// understood.
bool excuseUnknownLines(const Dump &D, const ReleaseWindow &E,
                        SyntaxErrors &Syntax);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_UNKNOWNLINES_H
