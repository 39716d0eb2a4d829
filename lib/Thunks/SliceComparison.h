// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What thunks may touch.
//
// The slices of each thunk against the places of what its instruction reads and
// writes. CPU: xla/service/cpu/thunk_emitter.cc. GPU:
// xla/service/gpu/thunk_emitter.cc and kernel_arguments.cc.

#ifndef HLOBUF_THUNKS_SLICECOMPARISON_H
#define HLOBUF_THUNKS_SLICECOMPARISON_H

#include "Proof/Ledger.h"
#include "Thunks/ThunkGraph.h"
#include <set>

namespace hlobuf {

/// A slice that is not where the assignment has the value, or is missing.
struct SliceFault {
  ThunkId Thunk;
  /// Null if the thunk has no slice for the leaf.
  const ThunkSlice *Slice = nullptr;
  /// Nothing if the instruction has no leaf for the slice.
  std::optional<ArrayLeaf> Expected;
  /// Of an operand or result leaf: its number, from 0.
  uint32_t Number = 0;
};

/// What a comparison of all thunks finds.
struct SliceFaults {
  std::vector<SliceFault> Reads, Writes;
  /// Slices at their places, with another shape than is there.
  std::vector<SliceFault> Shapes;
};

/// What has to be shown of \p S.
inline proof::Topic topicOf(const ThunkSlice &S) {
  return S.writes() ? proof::Topic::SliceWritten : proof::Topic::SliceRead;
}

/// Compares all thunks. Where many slices are wrong, the rest is not looked at.
class SliceComparison : private SliceFaults {
public:
  /// Closes Topic::SliceRead and Topic::SliceWritten in \p Book, and
  /// Topic::Launched where it is not known, or wrong, which arrays an
  /// instruction's thunks touch.
  SliceComparison(const ThunkGraph &Graph, proof::Ledger &Book);

  const SliceFaults &faults() const { return *this; }

private:
  using Leaves = ArrayRef<ArrayLeaf>;
  using Slices = SmallVector<const ThunkSlice *, 8>;
  /// The places of leaves.
  struct LeafSet {
    explicit LeafSet(Leaves All);
    SliceSet Slices;
    /// The places of all are known.
    bool Known = true;
  };
  /// What a sort on a CPU may copy: operands and results, and their numbers.
  struct SortPlaces {
    SortPlaces() = default;
    SortPlaces(Leaves Operands, Leaves Results);

    std::vector<ArrayLeaf> Operands, Results;
    std::map<ByteSlice, uint32_t> ByOperand, ByResult;
    /// The places of all are known, and no two results share theirs.
    bool Known = false;
  };
  void close(const ThunkSlice &S, const proof::Outcome &Result);
  void closeAll(ThunkId Id, const proof::Outcome &Result);
  bool closeAt(const SliceFault &Found, bool InWrites);
  void note(HloId I, const proof::Outcome &Result);
  void fault(const SliceFault &Found, bool Writes);
  void compare(ThunkId Id);
  void compareCpu(ThunkId Id, HloId I);
  void compareGpu(ThunkId Id, HloId I);
  void compareEmbedded(ThunkId Id);
  void compareControl(ThunkId Id, HloId I);
  void compareSortCopy(ThunkId Id, HloId I);
  void compareSortCopies(HloId I);
  void compareKernel(ThunkId Id, HloId I);
  void compareUnordered(ThunkId Id, HloId I, Leaves Operands, Leaves Results);
  void compareInOrder(ThunkId Id, const Slices &Stated, Leaves Expected,
                      bool Writes);
  void compareSets(ThunkId Id, bool Results);
  void compareWhole(HloId I, bool BadReads, bool BadWrites);
  bool closeAsOneOf(const ThunkSlice &S, const LeafSet &Any, bool Part);
  void compareShape(ThunkId Id, const ThunkSlice &S, const ArrayLeaf &Leaf);
  Slices slices(ThunkId Id, bool Written) const;

  const ThunkGraph &G;
  const Program &P;
  const ThunkProgram &T;
  proof::Ledger &Book;
  /// By kind: some thunk of it states the shape of a slice.
  std::set<ThunkKind> Shaped;
  std::map<HloId, SortPlaces> Sorts;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_SLICECOMPARISON_H
