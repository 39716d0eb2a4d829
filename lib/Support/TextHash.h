// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash of short texts.

#ifndef HLOBUF_SUPPORT_TEXTHASH_H
#define HLOBUF_SUPPORT_TEXTHASH_H

#include "llvm/ADT/StringRef.h"
#include <cstring>

namespace hlobuf {

/// Names and shapes are short, and most of what is read; llvm::hash_value costs
/// twice as much. The same in all runs on machines of one byte order.
inline uint32_t hashText(llvm::StringRef Text) {
  auto Load = [](const char *From, size_t Size) {
    uint64_t Bytes = 0;
    std::memcpy(&Bytes, From, Size);
    return Bytes;
  };
  // The two halves of the product, folded.
  auto Mix = [](uint64_t A, uint64_t B) {
    __extension__ using Wide = unsigned __int128;
    Wide Product = static_cast<Wide>(A) * B;
    return static_cast<uint64_t>(Product) ^
           static_cast<uint64_t>(Product >> 64);
  };
  constexpr uint64_t Odd = 0x9e3779b97f4a7c15;
  uint64_t Hash = Odd ^ Text.size();
  const char *At = Text.data();
  size_t Left = Text.size();
  for (; Left > 8; At += 8, Left -= 8)
    Hash = Mix(Hash ^ Load(At, 8), Odd);
  Hash = Mix(Hash ^ Load(At, Left), 0xd6e8feb86659fd93);
  return static_cast<uint32_t>(Hash ^ Hash >> 32);
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTHASH_H
