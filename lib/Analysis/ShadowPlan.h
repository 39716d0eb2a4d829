//===- Analysis/ShadowPlan.h - What instructions do to memory ---*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_ANALYSIS_SHADOWPLAN_H
#define HLOBUF_ANALYSIS_SHADOWPLAN_H

#include "Analysis/HandedOn.h"
#include "Analysis/Schedule.h"
#include "Analysis/ShadowMemory.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf {

struct ShadowRead {
  FlowId Value;
  /// Nothing at the end of the program.
  std::optional<uint32_t> Operand;
  /// As in ClobberedRead.
  bool Input = false;
};

/// \p Phi takes over \p Input without any write.
struct ShadowBinding {
  FlowId Phi;
  FlowId Input;
};

/// The first operands of \p Id, those whose arrays it reads itself: not its
/// computations, and not just to name them.
llvm::ArrayRef<HloId> operandsRead(const Program &P, const Schedule &S,
                                   HloId Id);

/// Reads, writes and places, without any state.
class ShadowPlan {
public:
  ShadowPlan(const Dataflow &F, const Schedule &S);

  /// Where \p V lies; null if it is not followed.
  const ShadowPlace *place(FlowId V) const {
    return V && Lines[V.index()] ? &Places[V.index()] : nullptr;
  }
  /// Memories that places can be in: one for each allocation, then one for
  /// each private stack.
  size_t numMemories() const {
    return P.analysis().dump().Allocations.size() + Stacks.size();
  }
  /// The allocation that memory \p Where of a place belongs to.
  AllocationId allocation(AllocationId Where) const;
  /// The value lines of all values; invalid for those that are not followed.
  const std::vector<ValueId> &lines() const { return Lines; }

  /// Calls \p Visit for each value that is followed and is at a part of \p Id.
  void forEachLeaf(HloId Id, llvm::function_ref<void(FlowId)> Visit) const;
  /// Calls \p Visit for each value that \p Id reads itself.
  void forEachRead(HloId Id,
                   llvm::function_ref<void(const ShadowRead &)> Visit) const;
  /// The same at the end of the program: for its result, then for its inputs,
  /// which are constants and the parameters of the entry that are not donated.
  void
  forEachReadAtEnd(llvm::function_ref<void(const ShadowRead &)> Visit) const;
  /// Calls \p Visit for each value that \p Id defines, those first whose bytes
  /// it writes; \p Keeps for the others: what their bytes held before is still
  /// there.
  void forEachWrite(HloId Id,
                    llvm::function_ref<void(FlowId, bool Keeps)> Visit) const;
  /// The phis of \p Id that take their values from \p From.
  void bind(HloId Id, HloId From,
            llvm::SmallVectorImpl<ShadowBinding> &Out) const;
  /// The instructions whose phis loop \p Id sets each time round.
  llvm::SmallVector<HloId, 3> loopPhis(HloId Id) const;

  /// True if something reads \p V, or a phi takes it over, in steps
  /// [Begin, End).
  bool isReadIn(FlowId V, int32_t Begin, int32_t End) const;
  /// The last such step; -1 if there is none.
  int32_t lastRead(FlowId V) const;

  /// A measure of the program: its instructions with all their parts, and what
  /// they read.
  uint64_t size() const { return NumParts + ReadSteps.size(); }

private:
  FlowId at(HloId Id, uint32_t Ordinal) const;
  bool isContext(const FlowValue &V) const;
  void findPlaces();
  void findDonated();
  bool isInput(FlowId V) const;
  void separateStacks();
  void findReadSteps();
  bool keepsBytes(HloId Id, FlowId Written) const;

  const Dataflow &F;
  const Program &P;
  const Schedule &S;
  std::vector<ValueId> Lines;
  std::vector<ShadowPlace> Places;
  std::vector<uint32_t> ReadBegin;
  std::vector<int32_t> ReadSteps;
  mutable HandedOn Same;
  uint64_t NumParts = 0;
  /// The allocations that private stacks are in.
  std::vector<AllocationId> Stacks;
  llvm::DenseSet<uint32_t> Donated;
};

} // namespace hlobuf

#endif // HLOBUF_ANALYSIS_SHADOWPLAN_H
