// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that a program reads and writes.
//
// Counted, not measured: each instruction that runs, times its runs. What a
// fusion does not need of an operand it does not read, and an update in place
// writes the update alone. Caches, and code that reads an element twice, are
// not known.

#ifndef HLOBUF_MEMORY_TRAFFIC_H
#define HLOBUF_MEMORY_TRAFFIC_H

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/FusionReads.h"

namespace hlobuf {

/// How often something runs in one run of the program.
struct RunCount {
  /// Where branches of conditionals differ, the bounds, closed.
  uint64_t Least = 0;
  uint64_t Most = 0;
  /// A loop whose trips are not known, and count as one; invalid if there is
  /// none.
  HloId Unknown;
};

/// What an instruction does with bytes that are there already.
enum class MoveKind : uint8_t {
  None,
  /// Another place, the same layout.
  Copy,
  /// Another layout.
  Layout,
  /// Another memory space: what prefetches and offloads.
  Space,
  /// An update of a part that writes all of its operand anew.
  Rewrite,
  /// Arrays are put together.
  Concatenate,
};

/// Bytes that an instruction reads and writes each time it runs.
struct ByteTraffic {
  uint64_t Read = 0;
  uint64_t Written = 0;

  /// At most 2^64 - 1.
  uint64_t sum() const {
    uint64_t Sum = Read + Written;
    return Sum < Read ? UINT64_MAX : Sum;
  }
};

/// One instruction that accesses memory.
struct InstructionTraffic : ByteTraffic {
  HloId Id;
  MoveKind Move = MoveKind::None;
};

/// An update of a part: result \p Result of an instruction, and the operand
/// that it is otherwise.
struct PartUpdate {
  uint32_t Result = 0;
  uint32_t Operand = 0;
  /// Both have the same bytes.
  bool InPlace = false;
};

/// The traffic of one module, whose values have places. Built in about linear
/// time.
class Traffic {
public:
  explicit Traffic(const ModuleAnalysis &Module);

  /// Of the computations that run in the schedule, in text order.
  ArrayRef<InstructionTraffic> rows() const { return Rows; }
  /// Null if \p Id accesses no memory.
  const InstructionTraffic *row(HloId Id) const;
  RunCount runs(ComputationId C) const { return Runs[C.index()]; }
  /// The sum of \p Count over everything that one run executes: of the branches
  /// of each conditional one.
  std::pair<uint64_t, uint64_t>
  bounds(function_ref<uint64_t(const InstructionTraffic &)> Count) const;

  /// Parts of the result of \p Id that are updates of an operand.
  SmallVector<PartUpdate, 1> updates(HloId Id) const;
  /// Both are known to have the same bytes.
  bool samePlace(Part X, Part Y) const;
  /// Bytes of \p At as placed; without a place, of its shape.
  uint64_t bytes(Part At) const;
  /// The same without padding.
  uint64_t unpadded(Part At) const;
  /// The sum of the parts at and below \p At that are not tuples.
  uint64_t leafBytes(Part At) const;

private:
  void countRuns();
  void addRow(HloId Id);
  void addCopy(InstructionTraffic &Row, Part To) const;
  void addUpdate(InstructionTraffic &Row, bool InPlace) const;
  void addFusion(InstructionTraffic &Row) const;
  uint64_t operandBytes(HloId Id, uint32_t K) const;

  const ModuleAnalysis &Module;
  const Program &P;
  std::vector<InstructionTraffic> Rows;
  /// By slot: the number of its row plus one.
  std::vector<uint32_t> RowOf;
  /// By computation.
  std::vector<RunCount> Runs;
  /// By instruction: the trips of loops.
  DenseMap<uint32_t, std::optional<int64_t>> Trips;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_TRAFFIC_H
