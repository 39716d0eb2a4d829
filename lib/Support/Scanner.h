// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strict scanning of one line.

#ifndef HLOBUF_SUPPORT_SCANNER_H
#define HLOBUF_SUPPORT_SCANNER_H

#include "Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>

namespace hlobuf {

/// True for `a` to `z`; LLVM has this from its release 18 on.
inline bool isLower(char C) { return C >= 'a' && C <= 'z'; }
/// True for `A` to `Z`; LLVM has this from its release 18 on.
inline bool isUpper(char C) { return C >= 'A' && C <= 'Z'; }

/// A set of bytes.
class ByteSet {
public:
  constexpr explicit ByteSet(std::string_view Bytes) {
    for (char C : Bytes)
      In[static_cast<unsigned char>(C)] = true;
  }
  constexpr bool has(char C) const { return In[static_cast<unsigned char>(C)]; }

private:
  std::array<bool, 256> In = {};
};

/// True for the bytes of an HLO name (XLA NameUniquer, 2017).
inline bool isNameByte(char C) {
  static constexpr ByteSet NameBytes(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
  return NameBytes.has(C);
}

/// Bytes at the front of \p Text that a name may have.
inline size_t nameSize(StringRef Text) {
  size_t Size = 0;
  while (Size != Text.size() && isNameByte(Text[Size]))
    ++Size;
  return Size;
}

/// Takes a text apart from the left. Every function consumes what it accepts
/// and leaves the rest alone where it does not.
class Scanner {
public:
  explicit Scanner(StringRef Text) : Rest(Text) {}

  StringRef rest() const { return Rest; }
  bool atEnd() const { return Rest.empty(); }
  char front() const { return Rest.empty() ? '\0' : Rest.front(); }

  bool literal(StringRef Text) { return Rest.consume_front(Text); }

  /// The same, compared without a call.
  template <size_t N>
  LLVM_ATTRIBUTE_ALWAYS_INLINE bool literal(const char (&Text)[N]) {
    constexpr size_t Size = N - 1;
    if (Rest.size() < Size || std::memcmp(Rest.data(), Text, Size) != 0)
      return false;
    Rest = Rest.drop_front(Size);
    return true;
  }

  LLVM_ATTRIBUTE_ALWAYS_INLINE bool literal(char C) {
    if (front() != C || Rest.empty())
      return false;
    Rest = Rest.drop_front();
    return true;
  }

  /// The next \p Size bytes, or fewer at the end.
  StringRef take(size_t Size) {
    StringRef Front = Rest.take_front(Size);
    Rest = Rest.drop_front(Front.size());
    return Front;
  }

  /// A number as XLA prints it: no sign, no leading zero. False if there is
  /// none or it does not fit.
  template <typename T> bool number(T &Value, StringRef *Text = nullptr) {
    constexpr size_t SafeDigits = std::numeric_limits<uint64_t>::digits10;
    const char *Digit = Rest.begin();
    const char *Safe = Digit + std::min(Rest.size(), SafeDigits);
    uint64_t Sum = 0;
    for (; Digit != Safe && llvm::isDigit(*Digit); ++Digit)
      Sum = Sum * 10 + uint64_t(*Digit - '0');
    for (; Digit != Rest.end() && llvm::isDigit(*Digit); ++Digit)
      if (__builtin_mul_overflow(Sum, uint64_t(10), &Sum) ||
          __builtin_add_overflow(Sum, uint64_t(*Digit - '0'), &Sum))
        return false;
    auto Size = static_cast<size_t>(Digit - Rest.begin());
    if (Size == 0 || (Size > 1 && Rest.front() == '0') ||
        Sum > static_cast<uint64_t>(std::numeric_limits<T>::max()))
      return false;
    Value = static_cast<T>(Sum);
    StringRef Digits = take(Size);
    if (Text)
      *Text = Digits;
    return true;
  }

  /// The same with an optional minus sign, which zero does not have.
  template <typename T> bool signedNumber(T &Value, StringRef *Text = nullptr) {
    StringRef Before = Rest;
    bool Minus = literal('-');
    if (!number(Value) || (Minus && Value == 0)) {
      Rest = Before;
      return false;
    }
    if (Minus)
      Value = -Value;
    if (Text)
      *Text = Before.drop_back(Rest.size());
    return true;
  }

  /// A name of an instruction or computation.
  bool name(StringRef &Name) {
    if (Rest.empty() || !(llvm::isAlpha(Rest[0]) || Rest[0] == '_'))
      return false;
    Name = take(nameSize(Rest));
    return true;
  }

private:
  StringRef Rest;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_SCANNER_H
