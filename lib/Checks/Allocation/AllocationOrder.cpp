//===- Checks/Allocation/AllocationOrder.cpp ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All temps come after all other allocations: XLA takes the temps out, combines
// them by color and appends the results (buffer_assignment.cc
// CombineTempAllocations, 2017). The order inside the two parts means nothing.
// Exception: where a program does not fit into memory, libtpu writes the
// assignment with only the temp of color 0 at the end; temps of other colors
// are anywhere (libtpu 0.0.52).
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace hlobuf {
void checkAllocationOrder(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  AllocationId FirstTemp, LastOther;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (!Alloc.PreallocatedTemp)
      LastOther = AllocationId(I);
    else if (!FirstTemp && (Alloc.color() == 0 || !A.isTPU()))
      FirstTemp = AllocationId(I);
  }
  if (!FirstTemp || !LastOther || FirstTemp.index() > LastOther.index())
    return;
  R.report(A.places().header(D[FirstTemp]).PreallocatedTemp,
           "temp allocation {} comes before allocation {}, expected temps last",
           D[FirstTemp].Index, D[LastOther].Index)
      .note(A.places().line(D[LastOther]), "this allocation is not a temp")
      .about(FirstTemp)
      .about(LastOther);
}
} // namespace hlobuf
