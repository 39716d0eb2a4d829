// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where parts that run come from, looked up once.

#ifndef HLOBUF_PROOF_PARTSOURCES_H
#define HLOBUF_PROOF_PARTSOURCES_H

#include "Program/PartOrigins.h"
#include "Proof/ValuePlaces.h"

namespace hlobuf::proof {

/// Sources of parts, and async chains.
class PartSources {
public:
  explicit PartSources(const ValuePlaces &Lines);

  Part markedOperand(Part At) const { return hlobuf::markedOperand(P, At); }
  /// What \p At, an array, is: one of these at run time. None if its
  /// instruction defines it; a source that the text does not have is an invalid
  /// part.
  ArrayRef<Part> of(Part At) const {
    uint32_t N = Lines.number(At);
    return N == ValuePlaces::NoNumber
               ? ArrayRef<Part>()
               : ArrayRef(All).slice(Begin[N], Begin[N + 1] - Begin[N]);
  }

  /// See wrappedComputation().
  ComputationId wrapped(HloId Id) const { return wrappedComputation(P, Id); }
  /// The computation that runs at \p Id, the first element of its chain that
  /// has all operands; invalid for others.
  ComputationId startedAt(HloId Id) const;
  /// Operands that are bound so far at \p Id, an element of an async chain.
  SmallVector<HloId, 8> bound(HloId Id) const;
  /// A context of a chain that runs on a SparseCore, or is not known to run
  /// elsewhere.
  bool isSparseCoreContext(Part At) const;
  /// What \p Body, of an async chain, reaches through control flow, itself
  /// included.
  ArrayRef<ComputationId> inside(ComputationId Body) const;

  /// The GPU stream that all of \p Body, of async chains, runs on: what is put
  /// on it earlier runs earlier. Empty if that is not known.
  StringRef streamOf(ComputationId Body) const;

private:
  const ValuePlaces &Lines;
  const Program &P;
  /// By number of a part, where its own begin in All; one more ends the last.
  std::vector<uint32_t> Begin;
  std::vector<Part> All;
  mutable DenseMap<uint32_t, std::vector<ComputationId>> Inside;
};

/// True for the start of an asynchronous operation; of a send, too.
inline bool isStart(Opcode Op) {
  return startedBy(Op) != nullptr || Op == Opcode::Send;
}
/// True for what waits for a start.
inline bool isDone(Opcode Op) {
  return endedBy(Op) != nullptr || Op == Opcode::SendDone;
}

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_PARTSOURCES_H
