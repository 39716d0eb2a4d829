//===- Dataflow/ShadowMemory.h - Which values bytes still hold --*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of allocations, cut where something was written, each piece with the
// values that it holds. A journal takes changes back and merges the states of
// several paths at a cost of what changed, not of what there is.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_SHADOWMEMORY_H
#define HLOBUF_DATAFLOW_SHADOWMEMORY_H

#include "Dataflow/DataflowAnalysis.h"
#include <map>

namespace hlobuf {

/// What some bytes hold.
struct ShadowBytes {
  /// The values that can be read there, sorted.
  llvm::SmallVector<HloValueId, 2> Intact;
  /// The value that was written last; invalid if none was.
  HloValueId Writer;
  /// Grows with each write.
  uint32_t Stamp = 0;

  bool holds(HloValueId V) const {
    return std::binary_search(Intact.begin(), Intact.end(), V);
  }
  void add(HloValueId V);
  void remove(HloValueId V);
  /// Keeps what \p Other holds too. The writer is that of the side that holds
  /// less, for it is the one to blame.
  void meet(const ShadowBytes &Other);

  bool operator==(const ShadowBytes &) const = default;
};

/// Bytes [Begin, End) of an allocation.
struct ShadowPlace {
  AllocationId Where;
  uint64_t Begin = 0;
  uint64_t End = 0;

  bool operator==(const ShadowPlace &) const = default;
};

/// Some bytes and what they held.
struct ShadowPiece {
  ShadowPlace At;
  ShadowBytes Bytes;
};

/// The bytes of all allocations.
class ShadowMemory {
public:
  explicit ShadowMemory(size_t NumAllocations);

  /// Calls \p Visit for each piece of \p At, in order.
  void visit(
      const ShadowPlace &At,
      llvm::function_ref<void(const ShadowPlace &, const ShadowBytes &)> Visit);
  /// Lets \p Change alter each piece of \p At.
  void update(const ShadowPlace &At,
              llvm::function_ref<void(ShadowBytes &)> Change);
  /// \p At holds \p V and nothing else.
  void write(const ShadowPlace &At, HloValueId V);

  /// From here on changes can be taken back. Marks nest.
  size_t mark();
  /// Takes back all changes since \p Mark, the latest one, and returns what
  /// they made of the bytes.
  std::vector<ShadowPiece> takeBack(size_t Mark);
  /// Merges the ends of several paths that began here: bytes hold what they
  /// hold on all of them; with \p OrNone, also on the path without changes.
  /// \p Lost is told what bytes here hold no longer.
  void merge(llvm::ArrayRef<std::vector<ShadowPiece>> Paths, bool OrNone,
             llvm::function_ref<void(HloValueId)> Lost);

  /// Pieces that were touched so far.
  uint64_t work() const { return Work; }

private:
  /// Pieces by where they begin; each ends where the next one begins.
  using Pieces = std::map<uint64_t, ShadowBytes>;

  static Pieces::iterator cut(Pieces &All, uint64_t Offset);
  void replace(const ShadowPlace &At, ShadowBytes Bytes, bool Remember);
  void mergePiece(const ShadowPlace &At,
                  llvm::ArrayRef<const ShadowPiece *> Active, bool All,
                  llvm::function_ref<void(HloValueId)> Lost);

  std::vector<Pieces> Memory;
  /// What was there before each change.
  std::vector<ShadowPiece> Journal;
  uint32_t Marks = 0;
  uint32_t Stamp = 0;
  uint64_t Work = 0;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_SHADOWMEMORY_H
