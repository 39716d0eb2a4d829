// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings that are documented.

#ifndef HLOBUF_DRIVER_KNOWNDEFECTS_H
#define HLOBUF_DRIVER_KNOWNDEFECTS_H

#include "Facts/ReleaseWindow.h"
#include "Support/Diagnostic.h"

namespace hlobuf {

/// Adds a note to each of \p All that looks like a defect of docs/defects.md in
/// a dump of \p By.
void noteKnownDefects(Backend By, std::vector<Diagnostic> &All);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_KNOWNDEFECTS_H
