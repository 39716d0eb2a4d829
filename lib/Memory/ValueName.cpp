// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/ValueName.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;

StringRef hlobuf::roleName(ValueRole Role) {
  static constexpr StringRef Names[] = {"argument", "constant", "computed",
                                        "collected", "blank"};
  return Names[static_cast<size_t>(Role)];
}

std::string ValueName::keeper() const {
  std::string Text = ForBackward ? "kept for the backward pass" : "";
  if (FromHost)
    Text += Text.empty() ? "from the host" : ", from the host";
  if (Role != ValueRole::Collected)
    return Text;
  return fmt::format("{} by the {}", Text.empty() ? "collected" : Text,
                     LoopText);
}

std::string ValueName::text() const {
  std::string Text = keeper();
  if (!Text.empty())
    Text += ": ";
  if (Copied)
    Text += "copy of ";
  if (Sliced)
    Text += "slices of ";
  if (Role == ValueRole::Argument)
    Text += "argument ";
  Text += Operation;
  if (!Source.empty() && Role != ValueRole::Argument)
    Text += " " + Source;
  return Text;
}
