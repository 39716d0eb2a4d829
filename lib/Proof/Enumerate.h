// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of what has to be shown, and its length by other means. It is made
// in parts, each of which can be decided before the next one is there: what is
// proved need not be kept.

#ifndef HLOBUF_PROOF_ENUMERATE_H
#define HLOBUF_PROOF_ENUMERATE_H

#include "Proof/ProofModel.h"

namespace hlobuf::proof {

/// Known, Fits.
void enumerateLines(const ProofModel &X, Ledger &L);
/// Placed, Forwarded, SourceType, Space.
void enumerateParts(const ProofModel &X, Ledger &L);
/// OperandBefore, PredecessorBefore, OperandType.
void enumerateOperands(const ProofModel &X, Ledger &L);
/// All other topics.
void enumerateAccesses(const ProofModel &X, Ledger &L);

/// True if \p At may be printed with another type than its source: a bitcast, a
/// set-dimension-size, a custom call that marks no call.
bool mayRetype(const Program &P, Part At);

/// Counts all once more, what depends on the text alone without the tables of
/// ProofModel, and compares that with \p L.
void countAgain(const ProofModel &X, Ledger &L);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_ENUMERATE_H
