// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What results without memory of their own save.

#ifndef HLOBUF_MEMORY_RESULTPLAN_H
#define HLOBUF_MEMORY_RESULTPLAN_H

#include "Memory/WasteContext.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace hlobuf {

/// Results that are not returned, or are in the memory of arguments, all of
/// them together. Their allocations go away; what else these held needs another
/// place, and so does a copy of each argument that somebody may read after its
/// result is written: copy insertion goes by what depends on what, not by a
/// schedule, but for TPU (xla/service/copy_insertion.cc, 2017).
class ResultPlan {
public:
  explicit ResultPlan(const WasteContext &Ctx);

  /// \p Result has no allocation of its own.
  void add(const EntryResult &Result);
  /// \p P gives its memory to \p Result, which was added and is written from
  /// step \p Written on.
  void give(const EntryParameter &P, const EntryResult &Result,
            int32_t Written);
  /// By how many bytes the program needs less memory.
  uint64_t saved() const;
  /// saved() as a part of the allocations of all results, from 0 to 1.
  double share() const;

private:
  bool isReadBefore(const EntryParameter &P, HloId Writer);
  void addOperands(HloId Writer);

  const WasteContext &Ctx;
  uint64_t Bytes = 0;
  uint64_t LargestCopy = 0;
  /// Allocations of the results.
  llvm::DenseSet<uint32_t> Gone;
  /// Values that only an update of an argument reads.
  llvm::SetVector<uint32_t> Gradients;
  /// Instructions that addOperands() has seen.
  llvm::DenseSet<uint32_t> Writers;
  /// Instructions that may still be asked for what they depend on.
  size_t Budget;
  /// By how many bytes these change at each step: what needs another place,
  /// copies of arguments, and what nobody needs in the arguments.
  std::vector<uint64_t> Displaced;
  std::vector<uint64_t> Copies;
  std::vector<uint64_t> Idle;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_RESULTPLAN_H
