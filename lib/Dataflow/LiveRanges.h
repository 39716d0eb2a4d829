// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges and peak of a module.

#ifndef HLOBUF_DATAFLOW_LIVERANGES_H
#define HLOBUF_DATAFLOW_LIVERANGES_H

#include "Dataflow/AliasAnalysis.h"
#include "Program/Schedule.h"

namespace hlobuf {

/// Live ranges as xla/hlo/utils/hlo_live_range.cc computes them.
class LiveRanges {
public:
  LiveRanges(const DataflowAnalysis &Flow, const AliasAnalysis &Groups,
             const Schedule &Order, const ReleaseRules &Rules);

  /// The closed range of \p V in steps; nothing if its instruction has no
  /// step. From texts: the stated one, as far as it is possible.
  std::optional<StepRange> operator[](HloValueId V) const {
    StepRange Range = Ranges[V.index()];
    return Range.Start < 0 ? std::nullopt : std::optional(Range);
  }

  /// The last step that reads \p V; -1 if none does.
  int32_t lastUse(HloValueId V) const;

private:
  /// A value with a stated range: where it is placed, and its first step.
  struct PlacedStart {
    AllocationId Owner;
    uint64_t Offset;
    int32_t Step;
    ValueId Line;
  };

  StepRange find(HloValueId V) const;
  StepRange findStated(HloValueId V);
  int32_t lastStatedRead(UsedId U) const;
  bool isCut(ValueId Line, StepRange Stated);
  bool isKept(ValueId Line, int32_t End) const;
  int32_t statedStart(const HloValue &V, ShapeIndex Index,
                      int32_t Stated) const;
  bool isAsyncResult(const Position &Pos, int32_t Step) const;
  bool startsWithAsync(NameId Name, int32_t Step) const;
  int32_t startOf(HloValueId V) const;
  int32_t endOfAsync(ComputationId C, int32_t End) const;
  int32_t lastPosition(HloValueId V) const;
  void normalize();

  const DataflowAnalysis &Flow;
  const Program &P;
  const AliasAnalysis &Groups;
  const Schedule &Order;
  ReleaseRules Rules;
  std::vector<bool> Donated;
  std::vector<StepRange> Ranges;
  /// From texts, once some range may be cut: which value starts where in an
  /// allocation, sorted by (offset, step) in each.
  std::vector<PlacedStart> Starts;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_LIVERANGES_H
