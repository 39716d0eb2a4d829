// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of one value in a text.

#ifndef HLOBUF_SUPPORT_BYTECOUNT_H
#define HLOBUF_SUPPORT_BYTECOUNT_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstring>

namespace hlobuf {

/// How many bytes of \p Text are \p Byte; 16 at a time.
inline size_t countByte(llvm::StringRef Text, char Byte) {
  using Lanes = signed char __attribute__((vector_size(16)));
  const char *At = Text.data();
  size_t Left = Text.size();
  size_t Count = 0;
  while (Left >= sizeof(Lanes)) {
    // A lane counts up to 127.
    size_t Blocks = std::min<size_t>(Left / sizeof(Lanes), 127);
    Left -= Blocks * sizeof(Lanes);
    Lanes Sums = {};
    for (; Blocks != 0; --Blocks, At += sizeof(Lanes)) {
      Lanes Block;
      std::memcpy(&Block, At, sizeof(Block));
      // What compares equal is minus one.
      Sums -= Block == static_cast<signed char>(Byte);
    }
    uint64_t Halves[2];
    std::memcpy(Halves, &Sums, sizeof(Halves));
    for (uint64_t Half : Halves) {
      constexpr uint64_t Even = 0x00ff00ff00ff00ff;
      uint64_t Pairs = (Half & Even) + (Half >> 8 & Even);
      Count += Pairs * 0x0001000100010001 >> 48;
    }
  }
  for (; Left != 0; --Left, ++At)
    Count += *At == Byte;
  return Count;
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_BYTECOUNT_H
