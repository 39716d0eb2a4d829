//===- Checks/Allocation/AllocationIndex.cpp ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations are numbered 0, 1, 2, ... in the order of printing: XLA numbers
// them by their place in a vector and renumbers all of them after it combined
// the temps (buffer_assignment.cc NewEmptyAllocation and
// CombineTempAllocations, 2017). No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace hlobuf {
void checkAllocationIndex(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  // A header that is missing shifts all that follow: only the first of them is
  // reported.
  uint64_t Expected = 0;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    bool Fits = Alloc.Index == Expected || Alloc.Index == I;
    if (!Fits) {
      Finding F =
          I == 0 ? R.report(A.places().header(Alloc).Index,
                            "the first allocation has number {}, expected 0",
                            Alloc.Index)
                 : R.report(A.places().header(Alloc).Index,
                            "allocation {} follows allocation {}, expected {}",
                            Alloc.Index, D.Allocations[I - 1].Index, Expected);
      F.about(AllocationId(I));
      if (Alloc.Index < D.Allocations.size())
        F.about(AllocationId(Alloc.Index));
    }
    Expected = uint64_t(Alloc.Index) + 1;
  }
}
} // namespace hlobuf
