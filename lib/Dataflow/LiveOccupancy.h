// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a module needs bytes.

#ifndef HLOBUF_DATAFLOW_LIVEOCCUPANCY_H
#define HLOBUF_DATAFLOW_LIVEOCCUPANCY_H

#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Overlap.h"

namespace hlobuf {

/// When values of a module hold their bytes, by the rules of the memory that
/// they are in. Needs ModuleAnalysis::isTimed().
class LiveOccupancy {
public:
  explicit LiveOccupancy(const ModuleAnalysis &Module)
      : Module(Module), P(Module.program()), Flow(Module.flow()) {}

  /// The steps, closed, in which \p V holds the bytes of its line; none where
  /// time does not tell: no steps, no bytes, contexts of async chains of
  /// SparseCore, and in TPU's alternate memory phis without uses, which nobody
  /// writes.
  llvm::SmallVector<StepRange, 2> held(HloValueId V) const;

private:
  /// Adds what \p V holds from \p From on, which \p Conditional reads last.
  void addBranches(HloValueId V, HloId Conditional, int32_t From,
                   llvm::SmallVectorImpl<StepRange> &Live) const;
  /// The last step in [From, Before) that reads \p V, and whether that is a
  /// conditional; -1 if none does.
  std::pair<int32_t, bool> lastUse(HloValueId V, int32_t From,
                                   int32_t Before) const;

  const ModuleAnalysis &Module;
  const Program &P;
  const DataflowAnalysis &Flow;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_LIVEOCCUPANCY_H
