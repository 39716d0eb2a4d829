// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/ReleaseRules.h"

using namespace hlobuf;

namespace {
struct RuleChange {
  /// Dumps from this date on follow the rules before the change is undone.
  uint32_t Date;
  bool ReleaseRules::*Rule;
};
} // namespace

/// Newest first.
static constexpr RuleChange Changes[] = {
#define HLOBUF_FLOW_RULE(Name, Date, Direction, Programs, What)                \
  {Date, &ReleaseRules::Name},
#include "Dump/Releases.def"
};

std::vector<ReleaseRules> hlobuf::possibleRules(const ReleaseWindow &Window,
                                                Backend B) {
  std::vector<ReleaseRules> All;
  ReleaseRules Rules;
  bool GPU = B == Backend::GPU || B == Backend::Untiled;
  auto Add = [&](uint32_t From, uint32_t Before) {
    Rules.From = From;
    if (From >= Window.Before || Window.From >= Before)
      return;
    Rules.ReshapeIsNoOp = B == Backend::GPU && Rules.NoOpsOnBothSides;
    All.push_back(Rules);
    // Which of the two wrote an untiled dump is not known.
    if (B == Backend::Untiled && Rules.NoOpsOnBothSides) {
      Rules.ReshapeIsNoOp = true;
      All.push_back(Rules);
      Rules.ReshapeIsNoOp = false;
    }
    // nvshmem took the place of ordinary all-reduces for a year.
    if (GPU &&
        std::max(From, Window.From) < dateOf(Release::NvshmemCopiesEnd) &&
        std::min(Before, Window.Before) > dateOf(Release::NvshmemCopiesBegin)) {
      Rules.NvshmemCopies = true;
      All.push_back(Rules);
      Rules.NvshmemCopies = false;
    }
  };
  uint32_t Before = ~uint32_t(0);
  for (const RuleChange &Change : Changes) {
    Add(Change.Date, Before);
    Rules.*Change.Rule = !(Rules.*Change.Rule);
    Before = Change.Date;
  }
  Add(0, Before);
  if (All.empty())
    All.emplace_back();
  return All;
}
