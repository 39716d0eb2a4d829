// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/LiveOccupancy.h"
#include "Facts/Occupancy.h"

using namespace hlobuf;
using llvm::SmallVector;

std::pair<int32_t, bool> LiveOccupancy::lastUse(HloValueId V, int32_t From,
                                                int32_t Before) const {
  std::pair<int32_t, bool> Last = {-1, false};
  Flow.forEachUse(V, [&](HloId User, uint32_t, const FlowPosition &) {
    int32_t Step = Module.schedule().time(User);
    if (Step >= From && Step < Before)
      Last = std::max(Last, {Step, P[User].Op == Opcode::Conditional});
  });
  return Last;
}

/// A value that a conditional reads last is free again in a branch after its
/// last use there (MSA's verifier splits it like this).
void LiveOccupancy::addBranches(HloValueId V, HloId Conditional, int32_t From,
                                llvm::SmallVectorImpl<StepRange> &Live) const {
  bool First = true;
  for (const HloCall &Call : P.calls(Conditional)) {
    StepRange Span = Module.schedule().span(Call.Callee);
    if (Span.Start < 0)
      continue;
    if (First)
      Live.push_back({From, Span.Start});
    First = false;
    auto [Last, Nested] = lastUse(V, Span.Start, Span.End);
    if (Last < 0)
      continue;
    if (Nested)
      addBranches(V, Module.schedule().sequence()[static_cast<size_t>(Last)],
                  Span.Start, Live);
    else
      Live.push_back({Span.Start, Last});
  }
}

SmallVector<StepRange, 2> LiveOccupancy::held(HloValueId V) const {
  SmallVector<StepRange, 2> Ranges;
  const Dump &D = Module.facts().dump();
  ValueId Line = Module.lineOf(V);
  std::optional<StepRange> Range = Module.ranges()[V];
  if (!Line || !Range || D[Line].Size == 0 || Range->End < Range->Start ||
      isSharedContext(Module.facts(), D[Line]))
    return Ranges;
  if (!isAlternate(Module.facts(), D[D[Line].Owner])) {
    Ranges.push_back(*Range);
    return Ranges;
  }
  auto [Last, Split] = lastUse(V, 0, Module.schedule().steps());
  if (Last < 0) {
    // Nobody reads it, but it is written, unless it is a phi.
    if (!Flow[V].Phi)
      Ranges.push_back({Range->Start, Range->Start});
    return Ranges;
  }
  if (Split)
    addBranches(V, Module.schedule().sequence()[static_cast<size_t>(Last)],
                Range->Start, Ranges);
  else
    Ranges.push_back({Range->Start, Last});
  // After its range another value of its alias set is there.
  for (StepRange &Steps : Ranges)
    Steps.End = std::min(Steps.End, Range->End);
  llvm::erase_if(Ranges, [](StepRange R) { return R.End < R.Start; });
  return Ranges;
}
