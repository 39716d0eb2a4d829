// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and their thunks.

#ifndef HLOBUF_THUNKS_THUNKCOVERAGE_H
#define HLOBUF_THUNKS_THUNKCOVERAGE_H

#include "Proof/Ledger.h"
#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// Which instructions have the thunks that they need, and whether thunks run in
/// the order of the schedule.
class ThunkCoverage {
public:
  /// Closes Topic::Launched, as far as whole thunks show it, and
  /// Topic::LaunchOrder in \p Book.
  ThunkCoverage(const ThunkGraph &Graph, proof::Ledger &Book);

  /// Instructions that move bytes and that no thunk stands for.
  ArrayRef<HloId> missing() const { return Missing; }
  /// Thunks that do again what one before them has done.
  ArrayRef<ThunkId> repeated() const { return Repeated; }
  /// Thunks that run after one whose instruction is scheduled later: both.
  ArrayRef<std::pair<ThunkId, ThunkId>> disordered() const {
    return Disordered;
  }

  /// A sort, alone or in a fusion: on a GPU a series of kernels over the same
  /// bytes.
  bool hasSort(HloId I) const;

private:
  void findEntered(ComputationId Entry);
  bool entersCallees(HloId I) const;
  bool needsThunk(HloId I) const;
  bool hasThunk(HloId I) const;
  bool mayCompute(HloId I) const;
  proof::Outcome launched(HloId I);
  bool findRepeated(HloId I);
  void findDisordered(const ThunkSequence &S, ComputationId C);
  void closeUnknown(const ThunkSequence &S);

  const ThunkGraph &G;
  const Program &P;
  const ThunkProgram &T;
  /// By computation: it has a sort.
  std::vector<bool> Sorts;
  /// By instruction: its place in the order of its computation.
  std::vector<uint32_t> Rank;
  /// By computation: its instructions have thunks of their own.
  std::vector<bool> Entered;
  proof::Ledger &Book;
  std::vector<HloId> Missing;
  std::vector<ThunkId> Repeated;
  std::vector<std::pair<ThunkId, ThunkId>> Disordered;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_THUNKCOVERAGE_H
