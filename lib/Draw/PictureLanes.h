// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams as lanes.

#ifndef HLOBUF_DRAW_PICTURELANES_H
#define HLOBUF_DRAW_PICTURELANES_H

#include "Draw/Picture.h"
#include "Results/Result.h"
#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// Adds the thunks of \p Graph to \p P, and the races that findings of \p R
/// tell, which then mark the bytes that both thunks touch. Steps are those of
/// \p U, which knows them; a thunk whose instruction has none is drawn where
/// the one before it is.
void addLanes(const MemoryUse &U, const ThunkGraph &Graph, const DumpResult &R,
              Picture &P);

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTURELANES_H
