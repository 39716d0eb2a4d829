// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocation ends where its furthest value ends. For a temp this is the end
// of the last chunk of the heap (heap_simulator.cc, 2017; combined without
// rounding in buffer_assignment.cc CombineTempAllocations); a temp that is
// larger is a warning, because buffer isolation pads heaps on purpose.
// Any other allocation is made with the size of one value, and whatever is
// placed into it later starts at 0 too (NewAllocation and MaybeAssignBuffer,
// 2017): an error.
//
// Exception: the alternate memory of TPU (color 1, on v4 color 3) also holds
// the scratch memory of kernels, which has no value line: seen on v7x.

#include "Checks/Check.h"
#include "Facts/Sizes.h"

using namespace hlobuf;

static void checkTemp(const CheckContext &Ctx, Reporter &Diags, AllocationId Id,
                      ValueId Furthest, uint64_t End) {
  const Dump &D = Ctx.dump();
  const Allocation &Alloc = D[Id];
  if (End >= Alloc.Size)
    return;
  if (Ctx.isTPU() && isVectorMemory(Alloc.color()))
    return Diags.exempt("kernel-scratch");
  Finding F =
      Diags.reportAs(Severity::Warning, {Ctx.places().header(Alloc).Size, Id},
                     "allocation {} has {} bytes, but its values end at {}",
                     Alloc.Index, Alloc.Size, End);
  if (Furthest)
    F.note(Ctx.places().value(D[Furthest]).Offset, "{} ends at {}",
           D.spell(D[Furthest].Tag), End)
        .about(Furthest);
}

/// Every value starts at 0, and one fills the allocation.
static void checkOther(const CheckContext &Ctx, Reporter &Diags,
                       AllocationId Id) {
  const Dump &D = Ctx.dump();
  const Allocation &Alloc = D[Id];
  ValueId Largest, Shifted;
  uint32_t NumShifted = 0;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    const Value &V = D.Values[I];
    if (!Largest || V.Size > D[Largest].Size)
      Largest = ValueId(I);
    if (V.Offset != 0 && NumShifted++ == 0)
      Shifted = ValueId(I);
  }
  if (Shifted) {
    Finding F = Diags.report(
        Ctx.places().value(D[Shifted]).Offset,
        "value {} is at offset {} of allocation {}, expected 0 outside temps",
        D.spell(D[Shifted].Tag), D[Shifted].Offset, Alloc.Index);
    F.note(Ctx.places().line(Alloc), "the allocation is not a temp")
        .about(Shifted);
    // Several at once speak against the header.
    if (NumShifted > 1)
      F.about(Id);
    return;
  }
  if (!Largest || D[Largest].Size >= Alloc.Size)
    return;
  Diags
      .report({Ctx.places().header(Alloc).Size, Id, Largest},
              "allocation {} has {} bytes, but its largest value has {}",
              Alloc.Index, Alloc.Size, D[Largest].Size)
      .note(Ctx.places().value(D[Largest]).Size, "{} has {} bytes",
            D.spell(D[Largest].Tag), D[Largest].Size);
}

void hlobuf::checkAllocationSize(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (auto [K, Alloc] : llvm::enumerate(D.Allocations)) {
    if (!Alloc.PreallocatedTemp) {
      checkOther(Ctx, Diags, AllocationId(K));
      continue;
    }
    ValueId Furthest;
    for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I)
      if (!Furthest || D.Values[I].end() > D[Furthest].end())
        Furthest = ValueId(I);
    checkTemp(Ctx, Diags, AllocationId(K), Furthest,
              Furthest ? D[Furthest].end() : 0);
  }
}
