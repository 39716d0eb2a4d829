// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/SyntaxErrors.h"

using namespace hlobuf;
using llvm::StringRef;

void SyntaxErrors::add(StringRef Where, std::string Message, StringRef Rule) {
  if (Kept.size() == MaxKept) {
    ++Uncounted;
    return;
  }
  Diagnostic Error;
  Error.Check = Rule;
  Error.Where = Where;
  Error.Message = std::move(Message);
  Kept.push_back(std::move(Error));
}
