// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that end after a line.
//
// A file that was cut off after a line may read like a whole one: the rest of
// the dump shows what it has lost. A cut takes all that comes after it, so what
// is left agrees with the rest, and what is missing belongs to the end; a fault
// in the middle is none.

#ifndef HLOBUF_FACTS_MISSINGENDS_H
#define HLOBUF_FACTS_MISSINGENDS_H

#include "Dump/CutOff.h"

namespace hlobuf {

/// Adds the files to \p D's cuts that end after a line and before their end,
/// but for memory usage reports: see judgeReport(). Files that are known to
/// be cut off must not be in \p D. Nothing is found in a dump that ends as
/// meant.
void findCuts(Dump &D);

} // namespace hlobuf

#endif // HLOBUF_FACTS_MISSINGENDS_H
