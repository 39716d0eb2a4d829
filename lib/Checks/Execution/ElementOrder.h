// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of the proof that integer sets are.

#ifndef HLOBUF_CHECKS_EXECUTION_ELEMENTORDER_H
#define HLOBUF_CHECKS_EXECUTION_ELEMENTORDER_H

#include "Elements/InPlaceReads.h"
#include "Elements/OperandAccesses.h"
#include "Proof/Kernel.h"

namespace hlobuf {

/// What is known of one question.
struct ElementAnswer {
  /// As an ElementRule says it.
  std::optional<bool> Sound;
  /// If that is false: the read that is wrong.
  ElementHazard Worst;
  /// If that is nothing: why. Empty where the compiler orders loops in a way
  /// that nothing shows, as sound programs need.
  StringRef Doubt;
};

/// Asks \p Reads, of \p P.
ElementAnswer askElements(const Program &P, InPlaceReads &Reads,
                          const proof::ElementQuestion &Asked);

/// What is shown of \p P, where integer sets may be asked.
proof::Proof proveWithElements(const Program &P, proof::ProvedRows Proved);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_EXECUTION_ELEMENTORDER_H
