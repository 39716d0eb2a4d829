// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash of short texts.

#ifndef HLOBUF_SUPPORT_TEXTHASH_H
#define HLOBUF_SUPPORT_TEXTHASH_H

#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <type_traits>

namespace hlobuf {

/// Names and shapes are short, and most of what is read; llvm::hash_value costs
/// twice as much. The same in all runs on machines of one byte order.
inline uint32_t hashText(llvm::StringRef Text) {
  // Sizes are constants: a copy of any other size is a call.
  auto Load = [](const char *From, auto Size) {
    uint64_t Bytes = 0;
    std::memcpy(&Bytes, From, Size);
    return Bytes;
  };
  using Half = std::integral_constant<size_t, 4>;
  using Whole = std::integral_constant<size_t, 8>;
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
    Hash = Mix(Hash ^ Load(At, Whole()), Odd);
  // The last bytes; some of them may have been taken already.
  uint64_t Last = 0;
  if (Text.size() >= 8)
    Last = Load(Text.end() - 8, Whole());
  else if (Left >= 4)
    Last = Load(At, Half()) << 32 | Load(At + Left - 4, Half());
  else
    for (; Left != 0; --Left)
      Last = Last << 8 | static_cast<unsigned char>(At[Left - 1]);
  Hash = Mix(Hash ^ Last, 0xd6e8feb86659fd93);
  return static_cast<uint32_t>(Hash ^ Hash >> 32);
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTHASH_H
