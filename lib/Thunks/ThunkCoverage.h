//===- Thunks/ThunkCoverage.h - Instructions and their thunks ---*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_THUNKS_THUNKCOVERAGE_H
#define HLOBUF_THUNKS_THUNKCOVERAGE_H

#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// A sort, alone or in a fusion: on a GPU a series of kernels over the same
/// bytes.
bool hasSort(const Program &P, HloId I);

/// Which instructions have the thunks that they need, and whether thunks run in
/// the order of the schedule.
class ThunkCoverage {
public:
  explicit ThunkCoverage(const ThunkGraph &Graph);

  /// Instructions that move bytes and that no thunk stands for.
  llvm::ArrayRef<HloId> missing() const { return Missing; }
  /// Thunks that do again what one before them has done.
  llvm::ArrayRef<ThunkId> repeated() const { return Repeated; }
  /// Thunks that run after one whose instruction is scheduled later: both.
  llvm::ArrayRef<std::pair<ThunkId, ThunkId>> disordered() const {
    return Disordered;
  }

private:
  void findMissing(ComputationId C);
  bool needsThunk(HloId I) const;
  void findRepeated();
  void findDisordered(const ThunkSequence &S, ComputationId C);
  llvm::ArrayRef<ThunkId> thunksOf(HloId I) const;

  const ThunkGraph &G;
  const Program &P;
  const ThunkProgram &T;
  /// Thunks sorted by their instructions, and where each instruction's begin.
  std::vector<ThunkId> ByInstruction;
  std::vector<uint32_t> Begin;
  /// By instruction: its place in the order of its computation.
  std::vector<uint32_t> Rank;
  std::vector<HloId> Missing;
  std::vector<ThunkId> Repeated;
  std::vector<std::pair<ThunkId, ThunkId>> Disordered;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_THUNKCOVERAGE_H
