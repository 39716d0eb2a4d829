// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for bytes of a class, 16 at a time.

#ifndef HLOBUF_SUPPORT_BYTESCAN_H
#define HLOBUF_SUPPORT_BYTESCAN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <array>
#include <cstring>

namespace hlobuf {

/// Sixteen bytes of a text. A comparison gives 255 where it is true, else 0.
using ByteLanes = unsigned char __attribute__((vector_size(16)));

/// The bytes of an HLO name: `[A-Za-z0-9_.-]` (XLA NameUniquer, 2017).
struct NameBytes {
  static constexpr bool has(unsigned char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
           (C >= '0' && C <= '9') || C == '_' || C == '.' || C == '-';
  }
  static ByteLanes lanes(ByteLanes C) {
    return ((C | 0x20) - 'a' < 26) | (C - '0' < 10) | (C - '-' < 2) |
           (C == '_');
  }
};

/// All bytes that \p Set does not have.
template <typename Set> struct OtherBytes {
  static constexpr bool has(unsigned char C) { return !Set::has(C); }
  static ByteLanes lanes(ByteLanes C) { return ~Set::lanes(C); }
};

/// The bytes \p Own.
template <char... Own> struct BytesOf {
  static constexpr bool has(unsigned char C) {
    return ((C == static_cast<unsigned char>(Own)) || ...);
  }
  static ByteLanes lanes(ByteLanes C) {
    return ((C == static_cast<unsigned char>(Own)) | ...);
  }
};

/// By byte: it is one of \p Set.
template <typename Set>
inline constexpr std::array<bool, 256> BytesIn = [] {
  std::array<bool, 256> All = {};
  for (unsigned C = 0; C != 256; ++C)
    All[C] = Set::has(static_cast<unsigned char>(C));
  return All;
}();

/// The first byte of \p Set in [\p At, \p End), or \p End.
template <typename Set>
inline const char *findByte(const char *At, const char *End) {
  for (; static_cast<size_t>(End - At) >= sizeof(ByteLanes);
       At += sizeof(ByteLanes)) {
    ByteLanes Bytes;
    std::memcpy(&Bytes, At, sizeof(Bytes));
    ByteLanes Found = Set::lanes(Bytes);
    std::array<char, sizeof(Found)> Lanes;
    std::memcpy(Lanes.data(), &Found, sizeof(Found));
    for (size_t Half : {0, 8})
      if (uint64_t Any = llvm::support::endian::read64le(Lanes.data() + Half))
        return At + Half + static_cast<size_t>(llvm::countr_zero(Any)) / 8;
  }
  while (At != End && !BytesIn<Set>[static_cast<unsigned char>(*At)])
    ++At;
  return At;
}

/// The offset of the first byte of \p Set in \p Text from \p From on, or the
/// size of \p Text.
template <typename Set>
inline size_t findByte(llvm::StringRef Text, size_t From = 0) {
  return static_cast<size_t>(findByte<Set>(Text.begin() + From, Text.end()) -
                             Text.begin());
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_BYTESCAN_H
