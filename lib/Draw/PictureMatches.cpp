// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/Matching.h"
#include "Draw/Picture.h"

using namespace hlobuf;

namespace {
/// The blocks of one memory space, as values that can be matched.
struct Side {
  std::vector<uint32_t> Blocks;
  std::vector<ComparedValue> Values;
};
} // namespace

static Side describeBlocks(const Picture &P, int32_t Color) {
  Side S;
  std::vector<HeldValue> Held;
  for (const auto &[I, B] : llvm::enumerate(P.Blocks)) {
    if (P.dump()[B.Owner].color() != Color)
      continue;
    S.Blocks.push_back(static_cast<uint32_t>(I));
    // Known by its own name, whatever shares its bytes later.
    Held.push_back(P.held(B));
    Held.back().Others.clear();
  }
  S.Values = describeValues(*P.Memory, *P.Names, Held);
  return S;
}

std::vector<int32_t> hlobuf::matchBlocks(const Picture &Before,
                                         const Picture &After) {
  std::vector<int32_t> Matches(After.Blocks.size(), -1);
  for (const SpaceUse &Space : After.Memory->spaces()) {
    Side Old = describeBlocks(Before, Space.Color);
    Side New = describeBlocks(After, Space.Color);
    for (auto [From, To] : matchValues(Old.Values, New.Values))
      Matches[New.Blocks[To]] = static_cast<int32_t>(Old.Blocks[From]);
  }
  return Matches;
}
