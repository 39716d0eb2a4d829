//===- Checks/Ranges/WhileAlias.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop works in place: the value that enters a while at some index and the
// value that leaves it there have the same allocation, offset and size. Alias
// analysis joins a while's operand, parameters, roots and result into one
// buffer (hlo_alias_analysis.cc, since 2017), and a buffer has one place. Needs
// neither live ranges nor the module. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace hlobuf {
void checkWhileAlias(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t I = 0; I != D.Uses.size(); ++I) {
    const Use &Read = D.Uses[I];
    if (Read.Operand != 0 || A.opcode(Read.Name) != Opcode::While)
      continue;
    UsedId Result = A.valueAt(Read.Name, Read.Index);
    ValueId In = A.valueOf(A.ownerOfUse(I));
    ValueId Out = Result ? A.valueOf(Result) : ValueId();
    if (!In || !Out || D[In].samePlace(D[Out]))
      continue;
    const Value &Init = D[In];
    const Value &Last = D[Out];
    R.report(A.places().value(Last).Tag.Whole,
             "{} leaves '{}' in bytes [{}, {}) of allocation {}, but {} enters "
             "it in bytes [{}, {}) of allocation {}; a loop must keep its "
             "state in place",
             D.spell(Last.Tag), D.Names[Read.Name], Last.Offset, Last.end(),
             D[Last.Owner].Index, D.spell(Init.Tag), Init.Offset, Init.end(),
             D[Init.Owner].Index)
        .note(A.places().line(Init), "{} is here", D.spell(Init.Tag))
        .note(A.places().line(Read), "'{}' reads it here", D.Names[Read.Name])
        .about(In)
        .about(Out);
  }
}
} // namespace hlobuf
