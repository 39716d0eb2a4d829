//===- Dataflow/ElementHazard.h - Reads of overwritten elements -*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_ELEMENTHAZARD_H
#define HLOBUF_DATAFLOW_ELEMENTHAZARD_H

#include "Dataflow/ElementConflict.h"

namespace hlobuf {

/// What the read \p Map of an operand of shape \p Operand means where the
/// elements of \p Chain, or all if nothing was found, are overwritten at the
/// operand's place. \p Result is the shape that is there.
ElementHazard findHazard(const ShapeTrees &Trees, const StartIndices &Starts,
                         const ElementMap &Map, const Shape &Operand,
                         const Shape &Result, const InPlaceChain *Chain);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ELEMENTHAZARD_H
