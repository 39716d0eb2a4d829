// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a dump to its picture.

#ifndef HLOBUF_DRAW_MAKEPICTURE_H
#define HLOBUF_DRAW_MAKEPICTURE_H

#include "Draw/Picture.h"
#include "Memory/MemoryUse.h"
#include "Results/Result.h"

namespace hlobuf {

/// Draws the dump of \p U with the findings \p R. Thread-local allocations,
/// which are on the stack of a kernel, are left out. \p Module gives what its
/// module implies, or null.
Picture makePicture(const MemoryUse &U, ModuleAnalysisFn Module,
                    const DumpResult &R);

} // namespace hlobuf

#endif // HLOBUF_DRAW_MAKEPICTURE_H
