// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Places.h"

using namespace hlobuf;

StringRef Places::operand(const Instruction &I, uint32_t Number) const {
  StringRef Name = D.operandsText(I);
  uint32_t Index = 0;
  forEachOperand(D.operandsText(I), [&](OperandText Operand) {
    if (Index++ == Number)
      Name = Operand.Name;
  });
  return Name;
}
