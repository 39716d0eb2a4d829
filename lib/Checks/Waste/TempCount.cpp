// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each color and page has one temp allocation, because XLA combines them
// (buffer_assignment.cc CombineTempAllocations, 2017). Several are wanted where
// --xla_multiheap_size_constraint_per_heap bounds the size of each (up to six
// of color 0 were seen on CPU): hence a lint, off by default.

#include "Checks/Check.h"
#include <map>

using namespace hlobuf;

void hlobuf::checkTempCount(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::map<std::pair<int32_t, int32_t>, uint32_t> First;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (!Alloc.PreallocatedTemp)
      continue;
    auto [Found, New] =
        First.try_emplace({Alloc.color(), Alloc.Page.value_or(0)}, I);
    if (New)
      continue;
    Diags
        .report(Ctx.places().line(Alloc),
                "temp allocation {} has color {} too, expected one per color "
                "and page",
                Alloc.Index, Alloc.color())
        .note(Ctx.places().line(D.Allocations[Found->second]),
              "the first one is here")
        .about(AllocationId(I));
  }
}
