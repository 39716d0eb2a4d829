// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Live ranges at N (peak)` names the first step with the most live bytes, as
// XLA counts them (hlo_live_range.cc ComputePeakMemoryMoment, since
// 2021-04-07): a value counts with the bytes of its whole instruction's shape,
// 8 per element for a tuple, and still at the step after its end, because
// frees of a step come after its allocations. 0 where nothing has bytes. Needs
// the shape of every instruction with a live range, from its text or from the
// module. No exception is known.

#include "Checks/Check.h"
#include "Facts/Peak.h"

using namespace hlobuf;

static uint64_t chargedAt(const CheckContext &Ctx, int32_t Step) {
  return sumOf(Ctx.dump().Ranges, [&](const LiveRangeRow &Row) {
    return isCharged(Row, Step) ? chargedBytes(Ctx, Row).value_or(0) : 0;
  });
}

/// The values that count at either step, or nearly: if one of them has a wrong
/// range or shape, this finding follows from that.
static void nameSuspects(const CheckContext &Ctx, Finding &F, int32_t Step) {
  const Dump &D = Ctx.dump();
  constexpr int64_t Near = 2;
  int64_t First = std::min(Step, D.PeakStep);
  int64_t Last = std::max(Step, D.PeakStep);
  for (const LiveRangeRow &Row : D.Ranges) {
    if (Row.End < First - 1 - Near || Row.Start > Last + Near)
      continue;
    UsedId U = Ctx.findUsed(Row.Name, Row.Index);
    F.about(U ? Ctx.valueOf(U) : ValueId()).about(Row.Name);
  }
}

void hlobuf::checkPeakMoment(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  if (D.UnboundedPeak)
    return Diags.notChecked("a dimension is unbounded");
  if (!Ctx.areRangesSound())
    return Diags.notChecked("the live ranges are incomplete");
  std::optional<PeakMoment> Peak = findPeak(Ctx);
  if (!Peak && !D.complete(Section::Texts))
    return Diags.notCheckedWithout(Ctx, Section::Texts);
  if (!Peak)
    return Diags.notChecked("the size of a live value is unknown");
  if (Peak->Step == D.PeakStep)
    return;
  uint64_t Stated = chargedAt(Ctx, D.PeakStep);
  StringRef Where = Ctx.places().peakHeader().First;
  Finding F =
      Stated == Peak->Bytes
          ? Diags.report(Where,
                         "peak is at step {}, but step {} is the first with {} "
                         "live bytes",
                         D.PeakStep, Peak->Step, Peak->Bytes)
          : Diags.report(
                Where,
                "peak is at step {} with {} live bytes, but step {} has {}",
                D.PeakStep, Stated, Peak->Step, Peak->Bytes);
  if (Peak->Step < Ctx.steps())
    F.note(Ctx.places().line(D.Sequence[static_cast<size_t>(Peak->Step)]),
           "step {} is here", Peak->Step);
  F.about(Section::Peak);
  nameSuspects(Ctx, F, Peak->Step);
}
