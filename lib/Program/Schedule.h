// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flattened order.

#ifndef HLOBUF_PROGRAM_SCHEDULE_H
#define HLOBUF_PROGRAM_SCHEDULE_H

#include "Program/Program.h"
#include "Program/ReleaseRules.h"

namespace hlobuf {

/// Steps of the instructions of all global computations, callees inserted
/// before their callers' steps (xla/hlo/utils/hlo_live_range.cc,
/// FlattenSchedule).
class Schedule {
public:
  Schedule(const Program &P, const ReleaseRules &Rules);

  /// The instructions in the order of their steps. From texts these are the
  /// stated steps, and those of unknown instructions are invalid.
  ArrayRef<HloId> sequence() const { return Sequence; }
  /// Number of steps, called T.
  int32_t steps() const { return static_cast<int32_t>(Sequence.size()); }
  /// The step of \p Id; -1 if it has none.
  int32_t time(HloId Id) const {
    uint32_t Slot = P.slot(Id);
    return Slot == Program::NoSlot ? -1 : Times[Slot];
  }
  /// The steps of \p C's computation as [Begin, End), callees included.
  StepRange span(ComputationId C) const { return Spans[C.index()]; }
  bool isFlattened(ComputationId C) const {
    return Spans[C.index()].Start >= 0;
  }
  /// The async body that \p C runs in, itself included; invalid if none.
  ComputationId asyncBody(ComputationId C) const {
    return AsyncBodies[C.index()];
  }

private:
  /// A computation that is being flattened.
  struct Frame {
    ComputationId C;
    ComputationId AsyncBody;
    /// Index in C's order of the instruction at hand.
    size_t Next = 0;
    /// The computations whose steps come right before that instruction's, and
    /// how many of them were entered.
    SmallVector<ComputationId, 4> Before = {};
    size_t Entered = 0;
  };
  void takeStated();
  void flatten(ComputationId Entry);
  void enter(ComputationId C, ComputationId AsyncBody,
             std::vector<Frame> &Stack);
  SmallVector<ComputationId, 4> computationsBefore(HloId Id) const;
  bool isFullyBound(HloId Id) const;

  const Program &P;
  bool FlattenAsync = true;
  bool LateBinding = true;
  /// By computation: flattened, or about to be.
  std::vector<bool> Active;
  std::vector<HloId> Sequence;
  /// By slot.
  std::vector<int32_t> Times;
  std::vector<StepRange> Spans;
  std::vector<ComputationId> AsyncBodies;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_SCHEDULE_H
