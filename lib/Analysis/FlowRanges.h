//===- Analysis/FlowRanges.h - Live ranges and peak of a module -*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_ANALYSIS_FLOWRANGES_H
#define HLOBUF_ANALYSIS_FLOWRANGES_H

#include "Analysis/Aliases.h"
#include "Analysis/Schedule.h"

namespace hlobuf {

/// Live ranges as xla/hlo/utils/hlo_live_range.cc computes them.
class FlowRanges {
public:
  FlowRanges(const Dataflow &F, const Aliases &Groups, const Schedule &S,
             const Rules &R);

  /// The closed range of \p V in steps; nothing if its instruction has no
  /// step.
  std::optional<StepRange> operator[](FlowId V) const {
    StepRange Range = Ranges[V.index()];
    return Range.Start < 0 ? std::nullopt : std::optional(Range);
  }

  /// The same before ranges of one alias set were cut where the next begins:
  /// the steps in which V itself is needed.
  StepRange own(FlowId V) const { return Own[V.index()]; }

  /// The last step that reads \p V; -1 if none does.
  int32_t lastUse(FlowId V) const;

private:
  StepRange find(FlowId V) const;
  int32_t startOf(HloId Definition) const;
  int32_t endOfAsync(ComputationId C, int32_t End) const;
  int32_t lastPosition(FlowId V, int32_t End) const;
  int32_t lastRootSpan(FlowId V, int32_t End) const;
  bool isReadOnlyParameter(const FlowValue &V) const;
  void normalize();

  const Dataflow &F;
  const Program &P;
  const Aliases &Groups;
  const Schedule &S;
  Rules R;
  std::vector<bool> Donated;
  std::vector<StepRange> Ranges;
  std::vector<StepRange> Own;
};

} // namespace hlobuf

#endif // HLOBUF_ANALYSIS_FLOWRANGES_H
