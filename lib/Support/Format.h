// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// {fmt} for LLVM types.

#ifndef HLOBUF_SUPPORT_FORMAT_H
#define HLOBUF_SUPPORT_FORMAT_H

#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>

/// {fmt} takes a StringRef as it takes a string.
template <>
struct fmt::formatter<llvm::StringRef> : fmt::formatter<fmt::string_view> {
  template <typename Context>
  auto format(llvm::StringRef Text, Context &Ctx) const {
    return fmt::formatter<fmt::string_view>::format(
        fmt::string_view(Text.data(), Text.size()), Ctx);
  }
};

#endif // HLOBUF_SUPPORT_FORMAT_H
