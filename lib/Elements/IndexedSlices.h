// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices that indices place.
//
// What gather reads, and scatter writes, where indices are the same in every
// run.

#ifndef HLOBUF_ELEMENTS_INDEXEDSLICES_H
#define HLOBUF_ELEMENTS_INDEXEDSLICES_H

#include "Elements/StartIndices.h"

namespace hlobuf {

/// From an index of gather or scatter \p Inst to those of operand \p Operand
/// that it reads; null where indices are not known, follow no short rule, or
/// are those of one element twice for scatter (XLA xla/hlo/evaluator/
/// hlo_evaluator.cc, HandleGather and HandleScatter, 2026).
IntegerMap indexedMap(StartIndices &Starts, ScopedId Inst, uint32_t Operand);

/// The indices that scatter \p Inst, with one result, writes; null where they
/// are not known.
IntegerSet scatteredElements(StartIndices &Starts, ScopedId Inst);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_INDEXEDSLICES_H
