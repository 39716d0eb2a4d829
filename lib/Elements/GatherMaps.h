// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that indices select.
//
// What gather reads where its indices are the same in every run.

#ifndef HLOBUF_ELEMENTS_GATHERMAPS_H
#define HLOBUF_ELEMENTS_GATHERMAPS_H

#include "Elements/IntegerSets.h"
#include "Elements/StartIndices.h"

namespace hlobuf {

/// From an index of gather \p At to those of operand \p Operand that it reads;
/// null where indices are not known, or follow no short rule (XLA
/// xla/hlo/evaluator/hlo_evaluator.cc, HandleGather, 2026).
IntegerMap gatherMap(Scalars &All, StartIndices &Starts,
                     const IntegerSets &Sets, ScopedId At, uint32_t Operand);

/// True if \p Id is computed from constants alone, whether or not its value can
/// be computed here.
bool isConstant(Scalars &All, ScopedId Id);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_GATHERMAPS_H
