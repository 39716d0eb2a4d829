// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each step does.

#ifndef HLOBUF_DATAFLOW_EXECUTIONPLAN_H
#define HLOBUF_DATAFLOW_EXECUTIONPLAN_H

#include "Dataflow/ExecutionMemory.h"
#include "Dataflow/Forwarding.h"
#include "Program/Schedule.h"

namespace hlobuf {

/// A value that an instruction reads.
struct ExecutionRead {
  HloValueId Value;
  /// Nothing at the end of the program.
  std::optional<uint32_t> Operand;
  /// As in ClobberedRead.
  bool Input = false;
};

/// \p Phi takes over \p Input without any write.
struct ExecutionBinding {
  HloValueId Phi;
  HloValueId Input;
};

/// True if \p Id is a ConcatBitcast of TPU: its result is what its place holds
/// already, its operands.
bool isConcatBitcast(const Program &P, HloId Id);

/// The first operands of \p Id, those whose arrays it reads itself: not its
/// computations, and not just to name them.
llvm::ArrayRef<HloId> operandsRead(const Program &P, const Schedule &Order,
                                   HloId Id);

/// Reads, writes and places, without any state.
class ExecutionPlan {
public:
  ExecutionPlan(const DataflowAnalysis &Flow, const Schedule &Order);

  /// Where \p V is; nothing if it is not followed.
  std::optional<AllocationBytes> place(HloValueId V) const;
  /// The value lines of all values; invalid for those that are not followed.
  const std::vector<ValueId> &lines() const { return Lines; }
  /// Some array that would be followed has no value line.
  bool lacksPlaces() const { return LacksPlaces; }

  /// Calls \p Visit for each value that is followed and is at a part of \p Id.
  void forEachLeaf(HloId Id, llvm::function_ref<void(HloValueId)> Visit) const;
  /// Calls \p Visit for each value that \p Id reads itself.
  void forEachRead(HloId Id,
                   llvm::function_ref<void(const ExecutionRead &)> Visit) const;
  /// The same at the end of the program: for its result, then for its inputs,
  /// which are constants and the parameters of the entry that are not donated.
  void
  forEachReadAtEnd(llvm::function_ref<void(const ExecutionRead &)> Visit) const;
  /// Calls \p Visit for each value that \p Id defines, those first whose bytes
  /// it writes; \p Keeps for the others: what their bytes held before is still
  /// there.
  void
  forEachWrite(HloId Id,
               llvm::function_ref<void(HloValueId, bool Keeps)> Visit) const;
  /// True if \p Copy, which a copy defines, has the same bytes as \p Other, and
  /// the same place.
  bool isCopyInPlace(HloValueId Copy, HloValueId Other) const;
  /// Where in the place of \p Whole, which a ConcatBitcast defines, \p Slice
  /// belongs; nothing if it is not a slice along the slowest dimension of an
  /// array of as many bytes.
  std::optional<AllocationBytes> sliceIn(HloValueId Whole,
                                         HloValueId Slice) const;
  /// The phis of \p Id that take their values from \p From.
  void bind(HloId Id, HloId From,
            llvm::SmallVectorImpl<ExecutionBinding> &Out) const;
  /// The instructions whose phis loop \p Id sets each time round.
  llvm::SmallVector<HloId, 3> loopPhis(HloId Id) const;

  /// True if something reads \p V, or a phi takes it over, in steps
  /// [Begin, End).
  bool isReadIn(HloValueId V, int32_t Begin, int32_t End) const;
  /// The last such step; -1 if there is none.
  int32_t lastRead(HloValueId V) const;

  /// A measure of the program: its instructions with all their parts, and what
  /// they read.
  uint64_t size() const { return NumParts + ReadSteps.size(); }

private:
  HloValueId at(HloId Id, uint32_t Ordinal) const;
  bool isContext(const HloValue &V) const;
  void findLines();
  bool isInput(HloValueId V) const;
  void findReadSteps();
  bool keepsBytes(HloId Id, HloValueId Written) const;

  const DataflowAnalysis &Flow;
  const Program &P;
  const Schedule &Order;
  std::vector<ValueId> Lines;
  std::vector<bool> Donated;
  std::vector<uint32_t> ReadBegin;
  std::vector<int32_t> ReadSteps;
  mutable Forwarding Same;
  uint64_t NumParts = 0;
  bool LacksPlaces = false;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_EXECUTIONPLAN_H
