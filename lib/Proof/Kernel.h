// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof that a program gets what it must from its buffers.

#ifndef HLOBUF_PROOF_KERNEL_H
#define HLOBUF_PROOF_KERNEL_H

#include "Proof/Deciders.h"

namespace hlobuf::proof {

/// What is shown of one program.
struct Proof {
  Ledger Book;
  /// Why nothing could be enumerated, or execution did not end; empty if all
  /// went well.
  std::string Obstacle;
};

/// Whether a ledger keeps a row of what is proved, or only how many there are.
enum class ProvedRows : bool { Forgotten, Kept };

/// Enumerates what has to be shown of \p P, and decides it.
Proof prove(const Program &P, ElementRule Elements, ProvedRows Proved);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_KERNEL_H
