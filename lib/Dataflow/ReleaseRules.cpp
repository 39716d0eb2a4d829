//===- Dataflow/ReleaseRules.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ReleaseRules.h"

using namespace hlobuf;

namespace {
struct RuleChange {
  /// Dumps from this date on follow the rules before the change is undone.
  uint32_t Date;
  void (*Undo)(ReleaseRules &);
};
} // namespace

/// Newest first: what undoing each change of XLA leaves.
static constexpr RuleChange Changes[] = {
    {20260822, [](ReleaseRules &R) { R.AsyncRootStart = false; }},
    {20260812, [](ReleaseRules &R) { R.AsyncContextForwards = true; }},
    {20260803, [](ReleaseRules &R) { R.AsyncUpdateSliceForwards = false; }},
    {20260713, [](ReleaseRules &R) { R.LateBinding = false; }},
    {20260629, [](ReleaseRules &R) { R.PermutesOfFourInPlace = true; }},
    {20260603,
     [](ReleaseRules &R) {
       R.NoOpsOnBothSides = false;
       R.OneNoOp = true;
       R.ReshapeIsNoOp = false;
     }},
    {20260503, [](ReleaseRules &R) { R.AsyncTokens = false; }},
    {20260421, [](ReleaseRules &R) { R.PermuteStartsOfFourInPlace = true; }},
    {20260108, [](ReleaseRules &R) { R.AsyncStartAliases = false; }},
    {20241126, [](ReleaseRules &R) { R.RaggedInPlace = false; }},
    {20241021, [](ReleaseRules &R) { R.OneNoOp = false; }},
    {20240610, [](ReleaseRules &R) { R.NestedFusions = false; }},
    {20240108, [](ReleaseRules &R) { R.CallUses = true; }},
    {20231020, [](ReleaseRules &R) { R.SetDimensionSizeForwards = true; }},
    {20230922, [](ReleaseRules &R) { R.AsyncDoneTuples = false; }},
    {20221117, [](ReleaseRules &R) { R.FusionAliases = false; }},
    {20220624, [](ReleaseRules &R) { R.OldNormalization = true; }},
    {20220616, [](ReleaseRules &R) { R.FlattenAsync = false; }},
    {20220304, [](ReleaseRules &R) { R.PositionsCount = false; }},
    {20211005, [](ReleaseRules &R) { R.CustomCallForwards = true; }},
    {20200917, [](ReleaseRules &R) { R.InPlace = false; }},
};

std::vector<ReleaseRules> hlobuf::possibleRules(const ReleaseWindow &When,
                                                Backend By) {
  std::vector<ReleaseRules> All;
  ReleaseRules R;
  bool GPU = By == Backend::GPU || By == Backend::Untiled;
  R.ReshapeIsNoOp = By == Backend::GPU;
  auto Add = [&](uint32_t From, uint32_t Before) {
    R.From = From;
    if (From >= When.Before || When.From >= Before)
      return;
    All.push_back(R);
    // Which of the two wrote an untiled dump is not known.
    if (By == Backend::Untiled && R.NoOpsOnBothSides) {
      R.ReshapeIsNoOp = true;
      All.push_back(R);
      R.ReshapeIsNoOp = false;
    }
    // nvshmem took the place of ordinary all-reduces for a year.
    if (GPU && std::max(From, When.From) < 20260622 &&
        std::min(Before, When.Before) > 20250714) {
      R.NvshmemCopies = true;
      All.push_back(R);
      R.NvshmemCopies = false;
    }
  };
  uint32_t Before = ~uint32_t(0);
  for (const RuleChange &Change : Changes) {
    Add(Change.Date, Before);
    Change.Undo(R);
    Before = Change.Date;
  }
  Add(0, Before);
  if (All.empty())
    All.emplace_back();
  return All;
}
