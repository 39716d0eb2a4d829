// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// {fmt} for LLVM types, and errors that it spells.

#ifndef HLOBUF_SUPPORT_FORMAT_H
#define HLOBUF_SUPPORT_FORMAT_H

#include "Support/LLVM.h"
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

/// {fmt} takes a StringRef as it takes a string.
template <>
struct fmt::formatter<llvm::StringRef> : fmt::formatter<fmt::string_view> {
  template <typename Context>
  auto format(llvm::StringRef Text, Context &Ctx) const {
    return fmt::formatter<fmt::string_view>::format(
        fmt::string_view(Text.data(), Text.size()), Ctx);
  }
};

namespace hlobuf {

/// Adds what \p Format makes of \p Arguments to \p Out. fmt::format_to would
/// compile all of {fmt} again in each library that calls it.
template <typename... Ts>
void appendFormat(std::string &Out, fmt::format_string<Ts...> Format,
                  Ts &&...Arguments) {
  Out += fmt::vformat(Format, fmt::make_format_args(Arguments...));
}

/// The error that says what \p Format makes of \p Arguments.
template <typename... Ts>
Error makeError(fmt::format_string<Ts...> Format, Ts &&...Arguments) {
  return llvm::make_error<llvm::StringError>(
      fmt::format(Format, std::forward<Ts>(Arguments)...),
      llvm::inconvertibleErrorCode());
}

/// `1 dump`, `2 dumps`.
inline std::string counted(uint64_t Count, StringRef Noun) {
  return fmt::format("{} {}{}", Count, Noun, Count == 1 ? "" : "s");
}

/// `a, b and 5 more`: the first \p Most of \p Names.
inline std::string listNames(const std::vector<std::string> &Names,
                             size_t Most) {
  size_t Shown = std::min(Names.size(), Most);
  std::string Text =
      fmt::format("{}", fmt::join(Names.begin(), Names.begin() + Shown, ", "));
  if (Shown != Names.size())
    Text += fmt::format(" and {} more", Names.size() - Shown);
  return Text;
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_FORMAT_H
