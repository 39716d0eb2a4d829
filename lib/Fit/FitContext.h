// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the search for changes shares.

#ifndef HLOBUF_FIT_FITCONTEXT_H
#define HLOBUF_FIT_FITCONTEXT_H

#include "Dataflow/AliasAnalysis.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Fit/BatchDimension.h"
#include "Fit/StepBytes.h"
#include "Memory/Waste.h"
#include <map>

namespace hlobuf {

/// Bytes of temps that belong to one alias set.
struct FitBuffer {
  uint64_t Bytes = 0;
  /// Disjoint, ascending, closed.
  std::vector<StepRange> Live;
  bool Scales = false;
  /// It is in the memory of a result that a donated argument can give: it needs
  /// another place then, and none before.
  bool Tenant = false;
  /// XLA computes it again, so that it is not held all the time.
  bool Cloned = false;

  SplitBytes split() const { return SplitBytes::of(Bytes, Scales); }
  int32_t end() const { return Live.empty() ? -1 : Live.back().End; }
};

/// A result that can take the memory of an argument.
struct FitDonation {
  /// Of the argument, as the caller knows it; may be empty.
  std::string Tree;
  HloValueId Result;
  AllocationId Owner;
};

/// Which pass of reverse-mode differentiation an instruction is of, by its
/// op_name: `jvp(f)` and `transpose(jvp(f))` (jax/_src/interpreters/ad.py,
/// 2021 on); what a checkpoint computes again is Again.
enum class Pass : uint8_t { None, Forward, Again, Backward };

/// What a program takes its layers from, as far as its files show.
enum class LayerLibrary : uint8_t { None, Linen, Nnx, Keras };
/// That which \p Files names a file of.
LayerLibrary libraryOf(StringRef Files);

/// The program, its buffers and its passes. Its module must be timed, without
/// an obstacle.
class FitContext {
public:
  FitContext(const MemoryUse &Memory, const ModuleAnalysis &Module,
             const SpaceUse &Main);

  /// The step of \p Id; -1 if it has none.
  int32_t step(HloId Id) const;
  Pass pass(HloId Id) const { return Passes[Id.index()]; }
  /// Products of matrices and convolutions that one run of \p Id computes, in
  /// fusions and calls of libraries, too; loops count one trip.
  uint64_t products(HloId Id) const { return Products[Id.index()]; }
  bool hasBackward() const { return Turn < Memory.steps(); }
  /// The first step of the backward pass; T if there is none.
  int32_t turn() const { return Turn; }
  /// One checkpoint is around all layers.
  bool isOneCheckpoint() const { return OneCheckpoint; }
  /// The buffer that \p V is in; null if it has none in temps of the main
  /// memory space.
  const FitBuffer *buffer(HloValueId V) const;
  ArrayRef<FitBuffer> buffers() const { return Buffers; }
  ArrayRef<FitDonation> donations() const { return Donations; }
  /// What is held if XLA computes nothing again, as of a program with room.
  const FitEffect &keptEffect() const { return Kept; }
  /// By step: bytes that grow with the batch.
  std::vector<uint64_t> scalingBytes() const;
  /// The instructions of \p C in schedule order, those of async computations
  /// in the place of what starts them.
  std::vector<HloId> order(ComputationId C) const;
  std::string opName(HloId Id) const;
  std::string source(HloId Id) const;
  /// The calls that lead to \p Id, the innermost first.
  std::vector<SourceFrame> calls(HloId Id) const;
  /// Those of the user's own functions.
  std::vector<SourceFrame> userCalls(HloId Id) const;
  /// Calls \p Visit with each value that \p Id defines.
  void forEachDefined(HloId Id, function_ref<void(HloValueId)> Visit) const;
  /// Calls \p Visit with each value that \p Id has: what reads it reads these.
  void forEachPart(HloId Id, function_ref<void(HloValueId)> Visit) const;
  /// Steps at which \p V is read.
  std::vector<std::pair<int32_t, HloId>> readers(HloValueId V) const;

  const MemoryUse &Memory;
  const ModuleAnalysis &Module;
  const SpaceUse &Main;
  const Facts &DumpFacts;
  const Dump &D;
  const Program &P;
  const DataflowAnalysis &Flow;
  const AliasAnalysis &Aliases;
  AliasMembers Members;
  ValueNames Names;
  BatchDimension Batch;

private:
  void countProducts();
  void findClones();
  HloValueId originalOf(HloValueId V) const;
  void findPasses();
  void findDonations();
  void findBuffers();
  int32_t findTurn(int AgainVote) const;
  /// Those of \p Id or, where it has no metadata, of what it is computed of.
  StringRef attributes(HloId Id) const;

  /// By instruction.
  std::vector<uint64_t> Products;
  std::vector<Pass> Passes;
  int32_t Turn = 0;
  bool OneCheckpoint = false;
  /// By instruction: what it is a clone of; by original: its clones.
  std::vector<HloId> Original;
  std::multimap<uint32_t, HloId> Clones;
  FitEffect Kept;
  /// One of each allocation of main memory that is a result only.
  std::vector<HloValueId> Results;
  std::vector<FitDonation> Donations;
  std::vector<FitBuffer> Buffers;
  /// By value line; ~0 if it is in none.
  std::vector<uint32_t> BufferOf;
};

} // namespace hlobuf

#endif // HLOBUF_FIT_FITCONTEXT_H
