//===- Draw/MakePicture.h - From a dump to its picture ------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRAW_MAKEPICTURE_H
#define HLOBUF_DRAW_MAKEPICTURE_H

#include "Draw/Picture.h"
#include "Memory/MemorySummary.h"
#include "Results/Result.h"

namespace hlobuf {

/// Draws \p A's dump with the findings \p R. \p Module gives what its module
/// implies, or null.
Picture makePicture(const Facts &A, ModuleAnalysisFn Module,
                    const DumpResult &R);

} // namespace hlobuf

#endif // HLOBUF_DRAW_MAKEPICTURE_H
