// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/PictureMatches.h"
#include "Compare/Matching.h"

using namespace hlobuf;

namespace {
/// The blocks of one memory space, as values that can be matched.
struct Side {
  std::vector<uint32_t> Blocks;
  std::vector<ComparedValue> Values;
};
} // namespace

static Side describeBlocks(const MatchedPicture &Of, int32_t Color) {
  const Dump &D = Of.Memory.facts().dump();
  Side S;
  std::vector<HeldValue> Held;
  for (uint32_t I = 0; I != Of.P.Blocks.size(); ++I) {
    const PictureBlock &B = Of.P.Blocks[I];
    if (D[B.Owner].color() != Color)
      continue;
    S.Blocks.push_back(I);
    HeldValue V;
    V.Value = representative(D, Of.P, B);
    V.Kind = kindOf(D[B.Owner]);
    V.Bytes = V.Unpadded = B.Size;
    Held.push_back(std::move(V));
  }
  S.Values = describeValues(Of.Memory, Of.Names, Held);
  return S;
}

std::vector<int32_t> hlobuf::matchBlocks(const MatchedPicture &Before,
                                         const MatchedPicture &After) {
  std::vector<int32_t> Matches(After.P.Blocks.size(), -1);
  for (const PictureSpace &Space : After.P.Spaces) {
    Side Old = describeBlocks(Before, Space.Color);
    Side New = describeBlocks(After, Space.Color);
    for (auto [From, To] : matchValues(Old.Values, New.Values))
      Matches[New.Blocks[To]] = static_cast<int32_t>(Old.Blocks[From]);
  }
  return Matches;
}
