// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps without a module.
//
// Executes the sequence of a dump without module, once and straight on: bodies
// of loops run for one round, the branches of a conditional one after the
// other. What follows from the rest of the program is unknown.

#ifndef HLOBUF_DATAFLOW_STATEDEXECUTION_H
#define HLOBUF_DATAFLOW_STATEDEXECUTION_H

#include "Dataflow/ExecutionMemory.h"
#include "Program/StatedSteps.h"

namespace hlobuf {

/// A use, or the end of the program, finds bytes of a value overwritten.
struct StatedDamage {
  ValueId Value;
  /// The last one that was written there.
  ValueId Written;
  /// In Dump::Uses; nothing at the end of the program.
  std::optional<uint32_t> Use;
  /// At the end it is not a result, but a constant.
  bool Constant = false;
};

/// Needs complete texts and used values, and a sound sequence.
class StatedExecution {
public:
  explicit StatedExecution(const Facts &DumpFacts);

  /// The first use of each damaged value, in the order of the steps.
  llvm::ArrayRef<StatedDamage> damages() const { return Damages; }
  /// Whether some value is damaged, only the module shows.
  bool isUncertain() const { return Uncertain; }
  /// There was too much to follow.
  bool gaveUp() const { return GaveUp; }

private:
  friend class StatedWalk;

  std::vector<StatedDamage> Damages;
  bool Uncertain = false;
  bool GaveUp = false;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_STATEDEXECUTION_H
