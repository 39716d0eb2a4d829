// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Obligations that need no execution. Each function decides the topics that it
// names, all of them.

#ifndef HLOBUF_PROOF_DECIDERS_H
#define HLOBUF_PROOF_DECIDERS_H

#include "Proof/ProofModel.h"

namespace hlobuf::proof {

/// Known, Fits.
void decideLines(const ProofModel &X, Ledger &L);
/// Placed, Space.
void decidePlaces(const ProofModel &X, Ledger &L);
/// Forwarded.
void decideForwarding(const ProofModel &X, Ledger &L);
/// SourcePlace, PairPlace, DonatedPlace.
void decideSharing(const ProofModel &X, Ledger &L);
/// SourceType.
void decideSourceTypes(const ProofModel &X, Ledger &L);
/// OperandType.
void decideOperandTypes(const ProofModel &X, Ledger &L);
/// ArgumentType, ResultType.
void decideEntryTypes(const ProofModel &X, Ledger &L);
/// OperandBefore, PredecessorBefore.
void decideOrder(const ProofModel &X, Ledger &L);
/// StatedStep.
void decideSequence(const ProofModel &X, Ledger &L);
/// HasDone, OwnPlace.
void decideEnds(const ProofModel &X, Ledger &L);

/// An operand part that Id reads where its part Result has the same bytes.
struct ElementQuestion {
  HloId Id;
  uint32_t Result = 0;
  OperandPart Read;
  /// Another part of an operand is where the result is.
  function_ref<bool(OperandPart)> IsThere;
};

/// What integer sets show: true if no element is read after it was overwritten,
/// false if one is; nothing if they do not decide.
using ElementRule =
    function_ref<std::optional<bool>(const ElementQuestion &Asked)>;

/// InPlace. \p Elements is asked where nothing simpler decides.
void decideInPlace(const ProofModel &X, ElementRule Elements, Ledger &L);

/// What opcode and layouts say of an instruction that writes \p Written from
/// the first byte of an operand \p Read on.
Outcome inPlaceByOpcode(Opcode Op, const Shape &Written, const Shape &Read);
/// Fits, of \p Line, which is a \p Type that a \p Definer makes.
Outcome fitsLine(const Facts &DumpFacts, ValueId Line, ShapeId Type,
                 Opcode Definer);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_DECIDERS_H
