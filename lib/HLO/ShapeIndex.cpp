// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ShapeIndex.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>

using namespace hlobuf;

/// The largest element that fits next to the tag.
static constexpr uint32_t MaxInline = (1u << 30) - 1;

bool ShapeIndexTable::parse(Scanner &In, ShapeIndex &Index) {
  if (!In.literal('{'))
    return false;
  if (In.literal('}')) {
    Index = ShapeIndex::root();
    return true;
  }
  uint32_t Step = 0;
  if (!In.number(Step))
    return false;
  if (Step <= MaxInline && In.literal('}')) {
    Index = ShapeIndex::element(Step);
    return true;
  }
  llvm::SmallVector<uint32_t, 8> Path = {Step};
  while (In.literal(',')) {
    if (!In.number(Step))
      return false;
    Path.push_back(Step);
  }
  if (!In.literal('}'))
    return false;
  Index = get(Path);
  return true;
}

bool ShapeIndexTable::parseSpaced(Scanner &In, ShapeIndex &Index) {
  llvm::SmallVector<uint32_t, 4> Found;
  if (!In.literal('{'))
    return false;
  while (!In.literal('}')) {
    uint32_t Step = 0;
    if (!Found.empty() && !In.literal(','))
      return false;
    In.literal(' ');
    if (!In.number(Step))
      return false;
    Found.push_back(Step);
  }
  Index = get(Found);
  return true;
}

ShapeIndex ShapeIndexTable::get(llvm::ArrayRef<uint32_t> Path) {
  if (Path.empty())
    return ShapeIndex::root();
  if (Path.size() == 1 && Path[0] <= MaxInline)
    return ShapeIndex::element(Path[0]);
  std::lock_guard<std::mutex> Guard(Lock);
  // The top bits are kept clear of DenseMap's two reserved keys.
  uint64_t Hash = static_cast<uint64_t>(static_cast<size_t>(
                      llvm::hash_combine_range(Path.begin(), Path.end()))) >>
                  1;
  llvm::SmallVector<uint32_t, 1> &Same = ByHash[Hash];
  for (uint32_t Number : Same) {
    Slice S = Long[Number];
    if (llvm::ArrayRef<uint32_t>(Steps).slice(S.Begin, S.Size) == Path)
      return ShapeIndex(Number << 2 | ShapeIndex::ManyTag);
  }
  auto Number = static_cast<uint32_t>(Long.size());
  Long.push_back({static_cast<uint32_t>(Steps.size()),
                  static_cast<uint32_t>(Path.size())});
  Steps.insert(Steps.end(), Path.begin(), Path.end());
  Same.push_back(Number);
  return ShapeIndex(Number << 2 | ShapeIndex::ManyTag);
}

llvm::SmallVector<uint32_t, 4> ShapeIndexTable::steps(ShapeIndex Index) const {
  if (Index.isRoot())
    return {};
  if ((Index.Bits & 3) == ShapeIndex::OneTag)
    return {Index.Bits >> 2};
  std::lock_guard<std::mutex> Guard(Lock);
  Slice S = Long[Index.Bits >> 2];
  auto Path = llvm::ArrayRef<uint32_t>(Steps).slice(S.Begin, S.Size);
  return llvm::SmallVector<uint32_t, 4>(Path.begin(), Path.end());
}

bool ShapeIndexTable::isAsyncContext(ShapeIndex Index) const {
  llvm::SmallVector<uint32_t, 4> Steps = steps(Index);
  return !Steps.empty() && Steps[0] >= 2;
}

std::string ShapeIndexTable::text(ShapeIndex Index) const {
  std::string Text = "{";
  for (uint32_t Step : steps(Index)) {
    if (Text.size() > 1)
      Text += ',';
    Text += std::to_string(Step);
  }
  return Text + '}';
}

bool ShapeIndexTable::less(ShapeIndex A, ShapeIndex B) const {
  auto X = steps(A);
  auto Y = steps(B);
  return std::lexicographical_compare(X.begin(), X.end(), Y.begin(), Y.end());
}
