// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DumpComments.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;
using llvm::StringRef;

std::vector<DumpComment> hlobuf::commentsOf(const Sources &Texts,
                                            StringRef Text) {
  std::vector<DumpComment> All;
  for (StringRef Line : llvm::split(Text, '\n')) {
    if (!Line.starts_with("//"))
      continue;
    Place At = Texts.place(Line);
    auto Number = static_cast<uint32_t>(At.Line);
    bool Follows = !All.empty() && All.back().Line + 1 == Number;
    All.push_back({At.File.str(), Number,
                   Follows ? All.back().Above : Number - 1, Number + 1, Line});
  }
  for (size_t I = All.size(); I-- > 1;)
    if (All[I].Line == All[I - 1].Below)
      All[I - 1].Below = All[I].Below;
  return All;
}
