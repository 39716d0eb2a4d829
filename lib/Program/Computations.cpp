// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/Computations.h"
#include "Support/UnionFind.h"

using namespace hlobuf;

Computations::Computations(const Dump &D) {
  UnionFind Sets(D.Names.size());
  auto Unite = [&](NameId A, NameId B) { Sets.join(A.index(), B.index()); };
  for (const Instruction &I : D.Instructions)
    for (NameId Operand : D.operands(I))
      Unite(Operand, I.Name);
  // Instructions that define nothing have no text, but what they read does.
  for (const UsedValue &U : D.Used)
    if (U.Positions.size() == 1)
      for (const Use &Reader : D.uses(U))
        Unite(D.positions(U).front().Name, Reader.Name);
  Groups = Sets.take();
}
