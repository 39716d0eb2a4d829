// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of what has to be shown, and its length by other means.

#ifndef HLOBUF_PROOF_ENUMERATE_H
#define HLOBUF_PROOF_ENUMERATE_H

#include "Proof/ProofModel.h"

namespace hlobuf::proof {

/// All obligations of \p X.
Ledger enumerate(const ProofModel &X);

/// Counts parts, reads, lines, operands and outputs of \p P once more, without
/// the tables of ProofModel, and compares that with \p L.
void countAgain(const Program &P, Ledger &L);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_ENUMERATE_H
