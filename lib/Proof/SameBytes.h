// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that change no byte.

#ifndef HLOBUF_PROOF_SAMEBYTES_H
#define HLOBUF_PROOF_SAMEBYTES_H

#include "Proof/ProofModel.h"

namespace hlobuf::proof {

/// The operand part that \p Written, a result part of a fusion or custom call
/// with a line, is unchanged and in its own place, as the called computation
/// shows.
std::optional<OperandPart> forwardedOperand(const ProofModel &X, Part Written);

/// True if \p Result, of a fusion of slices on GPU, is that of the one custom
/// call there, which works in place of \p Operand alone.
bool worksInPlace(const ProofModel &X, Part Result, OperandPart Operand);

/// Where bytes were computed; several fusions may call one computation.
struct CopyOrigin {
  /// Invalid outside of fusions.
  HloId Fusion;
  Part Node;
  bool operator==(const CopyOrigin &) const = default;
};

/// What \p At is a copy of, byte for byte.
CopyOrigin copyOrigin(const ProofModel &X, Part At);

/// True if \p Id is a custom call of TPU that joins slices of a prefetch, which
/// are in its own place, and moves nothing.
bool joinsSlices(const ProofModel &X, HloId Id);

/// Whether the operands of such a call are the slices of one array that their
/// places in the result say they are; nothing where that is not known. The
/// order of operands says nothing: real programs rotate it.
std::optional<bool> areSlicesInPlace(const ProofModel &X, HloId Id);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_SAMEBYTES_H
