// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values bytes hold.
//
// Bytes of allocations, cut where something was written, each piece with the
// values that it holds.

#ifndef HLOBUF_DATAFLOW_EXECUTIONMEMORY_H
#define HLOBUF_DATAFLOW_EXECUTIONMEMORY_H

#include "Dataflow/DataflowAnalysis.h"
#include <map>
#include <memory>

namespace hlobuf {

/// What some bytes hold.
struct ExecutionBytes {
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
};

/// Bytes [Begin, End) of an allocation.
struct AllocationBytes {
  AllocationId Owner;
  uint64_t Begin = 0;
  uint64_t End = 0;

  bool operator==(const AllocationBytes &) const = default;
};

/// The bytes of all allocations.
class ExecutionMemory {
public:
  explicit ExecutionMemory(size_t NumAllocations);

  /// Calls \p Visit for each piece of \p Place, in order.
  void visit(
      const AllocationBytes &Place,
      llvm::function_ref<void(const AllocationBytes &, const ExecutionBytes &)>
          Visit);
  /// Lets \p Change alter each piece of \p Place.
  void update(const AllocationBytes &Place,
              llvm::function_ref<void(ExecutionBytes &)> Change);
  /// \p Place holds \p V and nothing else.
  void write(const AllocationBytes &Place, HloValueId V);

  /// Before the first step \p Place is given \p V: what it was given before is
  /// lost, unless \p IsSame says of all that is there that its bytes are V's.
  void fill(const AllocationBytes &Place, HloValueId V,
            llvm::function_ref<bool(HloValueId)> IsSame);

  /// Pieces that were touched so far.
  uint64_t work() const { return Work; }

private:
  /// Pieces by where they begin; each ends where the next one begins.
  using PieceMap = std::map<uint64_t, ExecutionBytes>;
  /// The bytes of an allocation. Most are one piece.
  struct Pieces {
    /// From 0 on.
    ExecutionBytes First;
    /// Pieces after the first one; null if there are none.
    std::unique_ptr<PieceMap> Others;
    /// Where the last piece ends: nothing was ever written from here on.
    uint64_t End = 0;
  };
  /// A piece, or the end of all.
  class Cursor {
  public:
    /// The piece of \p All that has \p Offset, or else the end.
    Cursor(Pieces &All, uint64_t Offset);

    bool atEnd() const { return Ended; }
    uint64_t begin() const { return Inner ? Piece->first : 0; }
    uint64_t end() const;
    ExecutionBytes &bytes() const { return Inner ? Piece->second : All->First; }
    void advance();
    /// Removes this piece, which is not the first, and goes to the next one.
    void erase();

  private:
    Pieces *All;
    /// Valid if Inner.
    PieceMap::iterator Piece;
    /// It is not the first piece.
    bool Inner = false;
    bool Ended = false;
  };

  static void cut(Pieces &All, uint64_t Offset);
  void replace(const AllocationBytes &Place, ExecutionBytes Bytes);

  /// Of bytes that nothing was ever written to.
  const ExecutionBytes Nothing;
  std::vector<Pieces> Memory;
  uint32_t Stamp = 0;
  uint64_t Work = 0;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_EXECUTIONMEMORY_H
