//===- Facts/Computations.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/Computations.h"
#include <numeric>

using namespace hlobuf;

Computations::Computations(const Dump &D) : Parents(D.Names.size()) {
  std::iota(Parents.begin(), Parents.end(), 0);
  auto Unite = [&](NameId A, NameId B) {
    Parents[find(A.index())] = find(B.index());
  };
  for (const Instruction &I : D.Instructions)
    for (NameId Operand : D.operands(I))
      Unite(Operand, I.Name);
  // Instructions that define nothing have no text, but what they read does.
  for (const UsedValue &U : D.Used)
    if (U.Positions.size() == 1)
      for (const Use &Reader : D.uses(U))
        Unite(D.positions(U).front().Name, Reader.Name);
}

uint32_t Computations::find(uint32_t Name) const {
  while (Parents[Name] != Name) {
    Parents[Name] = Parents[Parents[Name]];
    Name = Parents[Name];
  }
  return Name;
}
