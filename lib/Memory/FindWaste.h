// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for waste.

#ifndef HLOBUF_MEMORY_FINDWASTE_H
#define HLOBUF_MEMORY_FINDWASTE_H

#include "Memory/ValueNames.h"
#include "Memory/Waste.h"

namespace hlobuf {

/// The waste in the main memory space (color 0) of \p Memory, by kind, then by
/// saved bytes. What needs the module is left out where \p Module is null.
std::vector<Waste> findWaste(const MemoryUse &Memory, const ValueNames &Names,
                             const ModuleAnalysis *Module);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_FINDWASTE_H
