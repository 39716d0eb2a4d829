// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all parts of the proof look at.

#ifndef HLOBUF_PROOF_PROOFMODEL_H
#define HLOBUF_PROOF_PROOFMODEL_H

#include "Proof/Accesses.h"
#include "Proof/Ledger.h"

namespace hlobuf::proof {

/// The program, its value lines, and the tables over both.
struct ProofModel {
  explicit ProofModel(const Program &P)
      : P(P), Lines(P), From(Lines), Home(Lines, From),
        Does(Lines, From, Home) {}
  ProofModel(const ProofModel &) = delete;
  ProofModel &operator=(const ProofModel &) = delete;

  const Program &P;
  const ValuePlaces Lines;
  const PartSources From;
  const Homes Home;
  const Accesses Does;

  Opcode op(HloId Id) const { return P[Id].Op; }
  HloId entryRoot() const { return P.root(P.module().Entry); }
  Part operandPart(HloId Id, uint32_t Operand, uint32_t Ordinal) const {
    return {P.operands(Id)[Operand], Ordinal};
  }
  ValueId operandHome(HloId Id, uint32_t Operand, uint32_t Ordinal) const {
    return Home.of(operandPart(Id, Operand, Ordinal));
  }
  BytePlace place(ValueId Line) const { return Lines.place(Line); }
};

/// The names in the control-predecessors of \p Id.
SmallVector<StringRef, 2> predecessorNames(const Program &P, HloId Id);
/// \p Name, one of these; invalid if the computation does not have it.
HloId predecessor(const Program &P, HloId Id, StringRef Name);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_PROOFMODEL_H
