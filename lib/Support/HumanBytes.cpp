// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/HumanBytes.h"
#include "llvm/ADT/StringExtras.h"

/// \p Value / 1024 with \p Digits decimals, 1 or 2, rounded half to even as
/// printf does it.
static std::string spell1024ths(uint64_t Value, unsigned Digits) {
  uint64_t Scale = Digits == 1 ? 10 : 100;
  uint64_t Quotient = Value * Scale / 1024;
  uint64_t Rest = Value * Scale % 1024;
  Quotient += Rest > 512 || (Rest == 512 && Quotient % 2 != 0);
  std::string Text = std::to_string(Quotient / Scale) + '.';
  if (Digits == 2)
    Text += static_cast<char>('0' + Quotient / 10 % 10);
  return Text += static_cast<char>('0' + Quotient % 10);
}

std::string hlobuf::humanBytes(uint64_t Bytes) {
  if (Bytes < 1024)
    return std::to_string(Bytes) + 'B';
  const char *Unit = "KMGTPE";
  while (Bytes >= uint64_t(1) << 20) {
    Bytes >>= 10;
    ++Unit;
  }
  return spell1024ths(Bytes, *Unit == 'K' ? 1 : 2) + *Unit + "iB";
}

std::optional<uint64_t> hlobuf::parseBytes(StringRef Text) {
  Text = Text.trim();
  size_t End = std::min(Text.size(), Text.find_if_not([](char C) {
    return llvm::isDigit(C) || C == '.';
  }));
  StringRef Number = Text.take_front(End);
  StringRef Unit = Text.drop_front(End);
  if (Unit.size() > 1 && Unit.starts_with_insensitive("e") &&
      llvm::isDigit(Unit[1])) {
    Number = Text;
    Unit = "";
  }
  double Value = 0;
  // The unit of `15.75` is missing.
  if (Unit.empty() && Number.contains('.') && !Number.contains_insensitive("e"))
    return std::nullopt;
  if (Number.empty() || Number.getAsDouble(Value))
    return std::nullopt;
  std::string Letters = Unit.trim().lower();
  StringRef Rest = Letters;
  static constexpr StringRef Prefixes = "kmgtp";
  double Base = 1000;
  int Power = 0;
  if (size_t Index =
          Rest.empty() ? StringRef::npos : Prefixes.find(Rest.front());
      Index != StringRef::npos) {
    Power = static_cast<int>(Index) + 1;
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

std::optional<hlobuf::GrowthLimit> hlobuf::parseGrowthLimit(StringRef Text) {
  GrowthLimit Limit;
  if (Text.consume_back("%")) {
    double Percent = 0;
    if (Text.getAsDouble(Percent) || !(Percent >= 0))
      return std::nullopt;
    Limit.Share = Percent / 100;
    return Limit;
  }
  std::optional<uint64_t> Bytes = parseBytes(Text);
  if (!Bytes)
    return std::nullopt;
  Limit.Bytes = static_cast<double>(*Bytes);
  return Limit;
}
