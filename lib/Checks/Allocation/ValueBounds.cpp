// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value is inside its allocation: offset + size is at most the
// allocation's size. XLA verifies this whenever it places a value
// (buffer_assignment.cc AddAssignment, 2017).
// No exception is known.

#include "Checks/Check.h"

using namespace hlobuf;

void hlobuf::checkValueBounds(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (auto [I, V] : llvm::enumerate(D.Values)) {
    const Allocation &Alloc = D[V.Owner];
    if (V.end() <= Alloc.Size)
      continue;
    ValueTexts Texts = Ctx.places().value(V);
    Diags
        .report({V.Size > Alloc.Size ? Texts.Size : Texts.Offset, ValueId(I),
                 V.Owner},
                "value {} occupies bytes [{}, {}), but allocation {} has only "
                "{} bytes",
                D.spell(V.Tag), V.Offset, V.end(), Alloc.Index, Alloc.Size)
        .note(Ctx.places().header(Alloc).Size, "the allocation's size is here");
  }
}
