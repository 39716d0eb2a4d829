// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to where they came from.

#ifndef HLOBUF_DATAFLOW_COPYBACK_H
#define HLOBUF_DATAFLOW_COPYBACK_H

#include "Dataflow/DataflowAnalysis.h"
#include "Dump/Model.h"

namespace hlobuf {

/// True if nothing may change the bytes of \p Alloc: it holds a constant, or a
/// parameter that the module's input_output_alias does not list.
bool isReadOnly(const Dump &D, const Allocation &Alloc);

/// True if \p V is a copy, maybe of copies, of a value at V's own place. Memory
/// space assignment (TPU) copies what a loop passes through to alternate memory
/// and back: to its constant's allocation, too, which then gets the bytes that
/// it has (xla/service/memory_space_assignment, libtpu 0.0.52). \p LineOf gives
/// the value line of a value; invalid if it has none.
bool copiesBack(const DataflowAnalysis &Flow, HloValueId V,
                llvm::function_ref<ValueId(HloValueId)> LineOf);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_COPYBACK_H
