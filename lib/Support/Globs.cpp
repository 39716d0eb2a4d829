// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Globs.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using llvm::StringRef;

llvm::Expected<GlobList> GlobList::parse(StringRef Text) {
  GlobList List;
  while (!Text.empty()) {
    auto [Item, Rest] = Text.split(',');
    Text = Rest;
    Item = Item.trim();
    bool Negative = Item.consume_front("-");
    if (Item.empty())
      continue;
    llvm::Expected<llvm::GlobPattern> Pattern = llvm::GlobPattern::create(Item);
    if (!Pattern)
      return Pattern.takeError();
    List.Globs.push_back({Item, std::move(*Pattern), Negative});
  }
  return List;
}

GlobList::Match GlobList::match(StringRef Name) const {
  for (const Glob &G : llvm::reverse(Globs))
    if (G.Pattern.match(Name))
      return G.Negative ? Match::Out : Match::In;
  return Match::None;
}

GlobList GlobList::only(llvm::function_ref<bool(StringRef, bool)> Keep) const {
  GlobList List;
  for (const Glob &G : Globs)
    if (Keep(G.Text, G.Negative))
      List.Globs.push_back(G);
  return List;
}

std::vector<StringRef>
GlobList::unmatched(llvm::ArrayRef<StringRef> Names) const {
  std::vector<StringRef> Result;
  for (const Glob &G : Globs)
    if (llvm::none_of(Names,
                      [&](StringRef Name) { return G.Pattern.match(Name); }))
      Result.push_back(G.Text);
  return Result;
}
