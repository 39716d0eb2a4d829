// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operation computes a part of a program.

#ifndef HLOBUF_MEMORY_OPERATIONTRACE_H
#define HLOBUF_MEMORY_OPERATIONTRACE_H

#include "Program/Program.h"

namespace hlobuf {

/// What computes bytes, found through everything that only moves them.
struct TracedOperation {
  /// What computes them, often inside of a fusion; the parameter of the entry,
  /// or the constant, that they are.
  HloId Computed;
  /// Which part of its result.
  uint32_t Ordinal = 0;
  /// The last instruction on the way whose values get buffers: Computed, or the
  /// fusion that it is in.
  HloId Buffered;
  /// The while loop that collects one of these in each trip; invalid if none
  /// does.
  HloId Loop;
  /// What a trip adds, which Computed computes; invalid without Loop.
  HloId Added;
  /// Some instruction on the way is a copy.
  bool Copied = false;
  /// The nearest copy-start on the way; invalid if there is none.
  HloId Transfer;
  /// What a trip adds is a slice of Computed.
  bool Sliced = false;
  /// Nothing that is read: memory of AllocateBuffer, or a constant that is
  /// broadcast, which something else is written over.
  bool Blank = false;
};

/// Follows part \p Ordinal of \p Id to what computes it: through tuples,
/// elements, bitcasts, copies, transposes for the compiler's own sake, fusions,
/// calls, branches, loop state, async chains, and updates in place. A part that
/// a loop carries is what its body computes, unless it forwards it.
/// A dynamic-update-slice into memory that held nothing before the loop is what
/// it writes, once for each trip. Each question costs a bounded number of
/// steps.
TracedOperation traceOperation(const Program &P, HloId Id, uint32_t Ordinal);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_OPERATIONTRACE_H
