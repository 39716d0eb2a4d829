// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings that are documented.

#ifndef HLOBUF_DRIVER_KNOWNDEFECTS_H
#define HLOBUF_DRIVER_KNOWNDEFECTS_H

#include "Facts/ReleaseWindow.h"
#include "Results/Result.h"

namespace hlobuf {

/// Adds notes to each of \p All that looks like a defect of docs/defects.md in
/// the dump \p Of of \p Target: which one it may be, and the way around it.
void noteKnownDefects(const Dump &Of, Backend Target,
                      std::vector<Diagnostic> &All);

/// Adds to each loud finding of \p R that may be a known defect the command
/// that makes its module small.
void noteReductions(DumpResult &R);

/// What docs/defects.md says of the defect \p Id, as `defect-3`; empty if none
/// is named so.
std::string explainDefect(StringRef Id);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_KNOWNDEFECTS_H
