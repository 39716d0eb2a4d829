// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of async computations.
//
// On TPU the computations of async ops may have stacks of their own in some
// colors, each from offset 0 on, so that unrelated values share bytes. Where a
// color is such a stack, every value of it is defined inside one of these
// computations (xla/service/buffer_assignment.cc,
// SplitBuffersByPrivateStackComputation, 2022): a single value outside proves
// that the color is ordinary memory, and so does a computation that leaves
// offset 0 free. Values of one stack must not overlap, stacks may.

#ifndef HLOBUF_DATAFLOW_PRIVATESTACKS_H
#define HLOBUF_DATAFLOW_PRIVATESTACKS_H

#include "Program/Program.h"

namespace hlobuf {

/// The async computation that each computation runs in, the outermost one;
/// invalid for those that run in none.
std::vector<ComputationId> findAsyncBodies(const Program &P);

/// The colors that may be private stacks, according to the module \p P if it is
/// not null, else by the dump alone, which proves less. None but on TPU.
llvm::SmallVector<int32_t, 4> findPrivateStacks(const Facts &DumpFacts,
                                                const Program *P);

/// Numbers the stacks that values are on, by value line, should their colors
/// have private ones: values with the same number are on the same one. Without
/// the module, where \p P is null, a number is a computation, as far as the
/// dump shows that values belong to the same one.
std::vector<uint32_t> numberStacks(const Facts &DumpFacts, const Program *P);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_PRIVATESTACKS_H
