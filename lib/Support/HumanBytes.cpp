// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/HumanBytes.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

std::string hlobuf::humanBytes(uint64_t Bytes) {
  if (Bytes < 1024)
    return fmt::format("{}B", Bytes);
  const char *Unit = "KMGTPE";
  while (Bytes >= uint64_t(1) << 20) {
    Bytes >>= 10;
    ++Unit;
  }
  double Value = static_cast<double>(Bytes) / 1024.0;
  if (*Unit == 'K')
    return fmt::format("{:.1f}KiB", Value);
  return fmt::format("{:.2f}{}iB", Value, *Unit);
}

std::optional<uint64_t> hlobuf::parseBytes(llvm::StringRef Text) {
  Text = Text.trim();
  size_t End = std::min(Text.size(), Text.find_if_not([](char C) {
    return llvm::isDigit(C) || C == '.';
  }));
  llvm::StringRef Number = Text.take_front(End);
  llvm::StringRef Unit = Text.drop_front(End);
  if (Unit.size() > 1 && Unit.starts_with_insensitive("e") &&
      llvm::isDigit(Unit[1])) {
    Number = Text;
    Unit = "";
  }
  double Value = 0;
  if (Number.empty() || Number.getAsDouble(Value))
    return std::nullopt;
  std::string Letters = Unit.trim().lower();
  llvm::StringRef Rest = Letters;
  static constexpr llvm::StringRef Prefixes = "kmgtp";
  double Base = 1000;
  int Power = 0;
  if (size_t At =
          Rest.empty() ? llvm::StringRef::npos : Prefixes.find(Rest.front());
      At != llvm::StringRef::npos) {
    Power = static_cast<int>(At) + 1;
    Rest = Rest.drop_front();
    // `16G` is what JAX prints for GiB.
    if (Rest.consume_front("i") || Rest.empty())
      Base = 1024;
  }
  Rest.consume_front("b");
  if (!Rest.empty())
    return std::nullopt;
  while (Power-- != 0)
    Value *= Base;
  if (!(Value >= 0 && Value < 9e18))
    return std::nullopt;
  return static_cast<uint64_t>(Value);
}
