//===- Analysis/Rules.cpp -------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Rules.h"

using namespace hlobuf;

namespace {
struct RuleChange {
  /// Dumps from this date on follow the rules before the change is undone.
  uint32_t Date;
  void (*Undo)(Rules &);
};
} // namespace

/// Newest first: what undoing each change of XLA leaves.
static constexpr RuleChange Changes[] = {
    {20260822, [](Rules &R) { R.AsyncRootStart = false; }},
    {20260812, [](Rules &R) { R.AsyncContextForwards = true; }},
    {20260803, [](Rules &R) { R.AsyncUpdateSliceForwards = false; }},
    {20260713, [](Rules &R) { R.LateBinding = false; }},
    {20260629, [](Rules &R) { R.PermutesOfFourInPlace = true; }},
    {20260603,
     [](Rules &R) {
       R.NoOpsOnBothSides = false;
       R.OneNoOp = true;
       R.ReshapeIsNoOp = false;
     }},
    {20260503, [](Rules &R) { R.AsyncTokens = false; }},
    {20260421, [](Rules &R) { R.PermuteStartsOfFourInPlace = true; }},
    {20260108, [](Rules &R) { R.AsyncStartAliases = false; }},
    {20241126, [](Rules &R) { R.RaggedInPlace = false; }},
    {20241021, [](Rules &R) { R.OneNoOp = false; }},
    {20240610, [](Rules &R) { R.NestedFusions = false; }},
    {20240108, [](Rules &R) { R.CallUses = true; }},
    {20231020, [](Rules &R) { R.SetDimensionSizeForwards = true; }},
    {20230922, [](Rules &R) { R.AsyncDoneTuples = false; }},
    {20221117, [](Rules &R) { R.FusionAliases = false; }},
    {20220624, [](Rules &R) { R.OldNormalization = true; }},
    {20220616, [](Rules &R) { R.FlattenAsync = false; }},
    {20220304, [](Rules &R) { R.PositionsCount = false; }},
    {20211005, [](Rules &R) { R.CustomCallForwards = true; }},
    {20200917, [](Rules &R) { R.InPlace = false; }},
};

std::vector<Rules> hlobuf::possibleRules(const Era &When, Backend By) {
  std::vector<Rules> All;
  Rules R;
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
