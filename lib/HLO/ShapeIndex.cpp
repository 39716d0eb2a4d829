// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ShapeIndex.h"

using namespace hlobuf;

/// The largest element that fits next to the tag.
static constexpr uint32_t MaxInline = (1u << 30) - 1;

bool ShapeIndexTable::parse(Scanner &In, ShapeIndex &Index, bool Spaced) {
  SmallVector<uint32_t, 4> Path;
  if (!In.literal('{'))
    return false;
  while (!In.literal('}')) {
    if (!Path.empty() && !In.literal(','))
      return false;
    if (Spaced)
      In.literal(' ');
    if (!In.number(Path.emplace_back()))
      return false;
  }
  Index = get(Path);
  return true;
}

ShapeIndex ShapeIndexTable::get(ArrayRef<uint32_t> Path) {
  if (Path.empty())
    return ShapeIndex::root();
  if (Path.size() == 1 && Path[0] <= MaxInline)
    return ShapeIndex::element(Path[0]);
  std::lock_guard<std::mutex> Guard(Lock);
  auto [Known, New] = Numbers.try_emplace(Path.vec(), uint32_t(Long.size()));
  if (New)
    Long.push_back(&Known->first);
  return ShapeIndex(Known->second << 2 | ShapeIndex::ManyTag);
}

SmallVector<uint32_t, 4> ShapeIndexTable::steps(ShapeIndex Index) const {
  if (Index.isRoot())
    return {};
  if ((Index.Bits & 3) == ShapeIndex::OneTag)
    return {Index.Bits >> 2};
  std::lock_guard<std::mutex> Guard(Lock);
  const std::vector<uint32_t> &Path = *Long[Index.Bits >> 2];
  return {Path.begin(), Path.end()};
}

bool ShapeIndexTable::isAsyncContext(ShapeIndex Index) const {
  SmallVector<uint32_t, 4> Steps = steps(Index);
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
