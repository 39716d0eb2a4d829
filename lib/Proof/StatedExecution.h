// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps without a module.
//
// Executes the sequence of a dump without module, once and straight on: bodies
// of loops run for one round, the branches of a conditional one after the
// other. What follows from the rest of the program is unknown.

#ifndef HLOBUF_PROOF_STATEDEXECUTION_H
#define HLOBUF_PROOF_STATEDEXECUTION_H

#include "Facts/Facts.h"

namespace hlobuf::proof {

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

/// What an execution of the stated steps found.
struct StatedExecution {
  /// The first use of each damaged value, in the order of the steps.
  std::vector<StatedDamage> Damages;
  /// Whether some value is damaged, only the module shows.
  bool Uncertain = false;
};

/// Needs complete texts and used values, and a sound sequence.
StatedExecution executeStated(const Facts &DumpFacts);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_STATEDEXECUTION_H
