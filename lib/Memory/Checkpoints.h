// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checkpoints compute again, and hold at the peak.

#ifndef HLOBUF_MEMORY_CHECKPOINTS_H
#define HLOBUF_MEMORY_CHECKPOINTS_H

#include "Memory/Traffic.h"
#include "Memory/ValueNames.h"

namespace hlobuf {

/// Checkpoints that the program has at one place.
struct Recomputation {
  /// `net.py:17`: the innermost line that all of it comes from; may be empty.
  std::string Source;
  /// What does not depend on each other is of different ones.
  uint64_t Checkpoints = 0;
  /// Products of matrices and convolutions that one run computes again.
  uint64_t Products = 0;
  /// Of it, held at the peak of the main memory space.
  uint64_t Held = 0;
  /// Of one checkpoint that is around several layers alike: how many layers one
  /// should be around, and about the bytes that the space needs then; 0 if that
  /// is not known, or would not save a tenth.
  uint64_t Layers = 0;
  uint64_t Predicted = 0;
  /// What it needs now.
  uint64_t Peak = 0;
  /// The layers are trips of a loop.
  bool InLoop = false;

  /// What is computed again, by how many.
  std::string title() const;
  /// Why it is held, and what to change; empty if Layers is 0.
  std::string why() const;
  std::string change() const;
};

/// Finds what `rematted_computation` in op_name marks
/// (jax/_src/ad_checkpoint.py, 2021 on) and is held at the peak of \p Main, the
/// most bytes first.
std::vector<Recomputation> findRecomputations(const MemoryUse &Memory,
                                              const SpaceUse &Main,
                                              const ModuleAnalysis &Module,
                                              const Traffic &Bytes);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_CHECKPOINTS_H
