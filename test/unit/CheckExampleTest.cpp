// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example of CONTRIBUTING.md compiles: test/docs/commands.test compares the
// two.

#include "Checks/Check.h"

namespace hlobuf {
void checkEvenOffset(const CheckContext &Ctx, Reporter &Diags);
} // namespace hlobuf
using namespace hlobuf;

void hlobuf::checkEvenOffset(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    if (V.Size > 1 && V.Offset % 2 != 0)
      Diags.report({Ctx.places().value(V).Offset, ValueId(I)},
                   "{} begins at offset {}, expected an even one",
                   D.spell(V.Tag), V.Offset);
  }
}
