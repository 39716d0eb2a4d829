// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/MemoryTree.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

/// Deeper scopes are not told apart.
static constexpr size_t MaxScopes = 24;

void MemoryTree::add(ArrayRef<std::string> Path, uint64_t Bytes) {
  uint32_t Number = 0;
  Nodes[Number].Bytes += Bytes;
  for (const std::string &Label : Path) {
    auto [Child, New] = Nodes[Number].Children.try_emplace(
        Label, static_cast<uint32_t>(Nodes.size()));
    Number = Child->second;
    if (New)
      Nodes.push_back({Label, 0, {}});
    Nodes[Number].Bytes += Bytes;
  }
}

std::vector<TreeLine> MemoryTree::lines(uint64_t Least, size_t Lines) const {
  std::vector<TreeLine> Out;
  std::vector<std::pair<uint32_t, unsigned>> Stack = {{0, 0}};
  while (!Stack.empty() && Out.size() != Lines) {
    auto [Number, Depth] = Stack.back();
    Stack.pop_back();
    std::string Label = Nodes[Number].Label;
    while (Number != 0 && Nodes[Number].Children.size() == 1) {
      Number = Nodes[Number].Children.begin()->second;
      Label += "/" + Nodes[Number].Label;
    }
    if (Number != 0)
      Out.push_back({Depth - 1, std::move(Label), Nodes[Number].Bytes});
    std::vector<uint32_t> Children;
    for (const auto &Child : Nodes[Number].Children)
      if (Nodes[Child.second].Bytes >= Least)
        Children.push_back(Child.second);
    // The largest is taken from the stack first.
    std::ranges::stable_sort(Children, {},
                             [&](uint32_t X) { return Nodes[X].Bytes; });
    for (uint32_t Child : Children)
      Stack.emplace_back(Child, Depth + 1);
  }
  return Out;
}

/// Calls \p Visit with where each `/` is that ends a part of \p OpName.
template <typename VisitFn>
static void forEachScopeEnd(StringRef OpName, VisitFn Visit) {
  unsigned Depth = 0;
  for (size_t I = 0; I != OpName.size(); ++I) {
    char C = OpName[I];
    Depth += C == '(' || C == '[';
    Depth -= Depth != 0 && (C == ')' || C == ']');
    if (C == '/' && Depth == 0)
      Visit(I);
  }
}

std::vector<std::string> hlobuf::splitScopes(StringRef OpName) {
  std::vector<std::string> Parts;
  size_t Begin = 0;
  forEachScopeEnd(OpName, [&](size_t End) {
    if (Parts.size() == MaxScopes)
      return;
    Parts.push_back(OpName.slice(Begin, End).str());
    Begin = End + 1;
  });
  Parts.push_back(OpName.substr(Begin).str());
  if (Parts.size() > 1 && OpName.starts_with("jit("))
    Parts.erase(Parts.begin());
  return Parts;
}

StringRef hlobuf::lastScope(StringRef OpName) {
  size_t Begin = 0;
  forEachScopeEnd(OpName, [&](size_t End) { Begin = End + 1; });
  return OpName.substr(Begin);
}

std::string hlobuf::withoutIndices(StringRef Text) {
  std::string Out;
  Out.reserve(Text.size());
  size_t Begin = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    if (!llvm::isDigit(Text[I]))
      continue;
    bool Alone = I == 0 || !llvm::isAlpha(Text[I - 1]);
    size_t End = std::min(Text.size(), Text.find_if_not(llvm::isDigit, I));
    if (Alone) {
      Out += Text.slice(Begin, I);
      Out += '*';
      Begin = End;
    }
    I = End - 1;
  }
  Out += Text.substr(Begin);
  return Out;
}
