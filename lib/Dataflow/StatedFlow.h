// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a program that is known from texts.

#ifndef HLOBUF_DATAFLOW_STATEDFLOW_H
#define HLOBUF_DATAFLOW_STATEDFLOW_H

#include "Dataflow/LocationGraph.h"

namespace hlobuf {

/// Fills kinds and sources of all locations of \p Graph, whose program is from
/// texts, as far as opcodes tell: what an instruction defines, and what it
/// forwards by the rows HLOBUF_FORWARD. All else is what positions say, and
/// stays unknown where they name no value, or several.
void linkStatedFlow(LocationGraph &Graph);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_STATEDFLOW_H
