// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Waste.h"

using namespace hlobuf;

llvm::StringRef hlobuf::checkOf(WasteKind Kind) {
  static constexpr llvm::StringRef Checks[] = {
#define HLOBUF_WASTE(Kind, Id, When, Needs, Summary) Id,
#include "Memory/Waste.def"
  };
  return Checks[static_cast<size_t>(Kind)];
}
