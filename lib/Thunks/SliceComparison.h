//===- Thunks/SliceComparison.h - What thunks may touch ---------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slices of each thunk against the places of what its instruction reads and
// writes. CPU: xla/service/cpu/thunk_emitter.cc. GPU:
// xla/service/gpu/thunk_emitter.cc and kernel_arguments.cc.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_THUNKS_SLICECOMPARISON_H
#define HLOBUF_THUNKS_SLICECOMPARISON_H

#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// A slice that is not where the assignment has the value, or is missing.
struct SliceFault {
  ThunkId In;
  /// Null if the thunk has no slice for the leaf.
  const ThunkSlice *Slice = nullptr;
  /// Nothing if the instruction has no leaf for the slice.
  std::optional<LeafPlace> Expected;
  /// Of an operand or result leaf: its number, from 0.
  uint32_t Number = 0;
};

/// Compares all thunks.
class SliceComparison {
public:
  explicit SliceComparison(const ThunkGraph &Graph);

  llvm::ArrayRef<SliceFault> reads() const { return Reads; }
  llvm::ArrayRef<SliceFault> writes() const { return Writes; }
  /// Slices that were compared with a place.
  size_t numCompared() const { return Compared; }
  /// Leaves whose place is not known.
  size_t numUnknown() const { return Unknown; }

private:
  using Leaves = llvm::ArrayRef<LeafPlace>;
  using Slices = llvm::SmallVector<const ThunkSlice *, 8>;
  void compare(ThunkId Id);
  void compareCpu(ThunkId Id, HloId I);
  void compareGpu(ThunkId Id, HloId I);
  void compareControl(ThunkId Id, HloId I);
  void compareCallKernel(ThunkId Id, HloId I);
  void compareSortCopy(ThunkId Id, HloId I);
  void compareSort(ThunkId Id, HloId I);
  void compareKernel(ThunkId Id, HloId I);
  bool isInterleaved(const Slices &All, Leaves Operands, Leaves Results);
  void compareUnordered(ThunkId Id, HloId I, Leaves Operands, Leaves Results);
  void compareInOrder(ThunkId Id, const Slices &Stated, Leaves Expected,
                      std::vector<SliceFault> &To);
  void compareSets(ThunkId Id, HloId I, bool Results);
  void compareWhole();
  bool matches(const ThunkSlice &S, const LeafPlace &Leaf);
  Slices slices(ThunkId Id, bool Written) const;
  llvm::SmallVector<LeafPlace, 4> results(HloId I) const;

  const ThunkGraph &G;
  const Program &P;
  const ThunkProgram &T;
  std::vector<SliceFault> Reads, Writes;
  size_t Compared = 0;
  size_t Unknown = 0;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_SLICECOMPARISON_H
