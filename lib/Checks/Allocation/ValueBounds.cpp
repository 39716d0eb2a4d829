// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value is inside its allocation: offset + size is at most the
// allocation's size. XLA verifies this whenever it places a value
// (buffer_assignment.cc AddAssignment, 2017).
//
// Known exception: where asynchronous computations of TPU have stacks of their
// own, the combined size is that of the last stack instead of the largest
// (CombineTempAllocations, since 2022-11-09), so that a value may stick out. No
// dump shows it yet; there the finding is a warning.

#include "Checks/Check.h"

using namespace hlobuf;

void hlobuf::checkValueBounds(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    const Allocation &Alloc = D[V.Owner];
    if (V.end() <= Alloc.Size)
      continue;
    bool Private = Alloc.PreallocatedTemp && Alloc.color() != 0 &&
                   Ctx.privateStacksPossible(Alloc.color());
    ValueTexts Texts = Ctx.places().value(V);
    Diags
        .reportAs(
            Private ? Severity::Warning : Severity::Error,
            V.Size > Alloc.Size ? Texts.Size : Texts.Offset,
            "value {} occupies bytes [{}, {}), but allocation {} has only "
            "{} bytes",
            D.spell(V.Tag), V.Offset, V.end(), Alloc.Index, Alloc.Size)
        .note(Ctx.places().header(Alloc).Size, "the allocation's size is here")
        .about(ValueId(I))
        .about(V.Owner);
  }
}
