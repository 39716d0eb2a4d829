// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that runs, for viewers of traces.

#ifndef HLOBUF_DRAW_THUNKTRACE_H
#define HLOBUF_DRAW_THUNKTRACE_H

#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// Writes the thunks of \p G in the Trace Event format, which Perfetto and
/// chrome://tracing open: a lane for each stream of a GPU, or one for a CPU,
/// and an event for each thunk. One thunk takes a microsecond; what is launched
/// on another stream goes on until a thunk waits for it, or until the next one
/// of that stream.
void writeThunkTrace(const ThunkGraph &G, llvm::StringRef Title,
                     llvm::raw_ostream &OS);

} // namespace hlobuf

#endif // HLOBUF_DRAW_THUNKTRACE_H
