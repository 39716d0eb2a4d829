// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What computations read.

#ifndef HLOBUF_PROOF_READSETS_H
#define HLOBUF_PROOF_READSETS_H

#include "Proof/ProofModel.h"
#include "llvm/ADT/SparseBitVector.h"

namespace hlobuf::proof {

/// The value lines that a computation reads, with all that it calls: another
/// round of a loop matters only for those.
class ReadSets {
public:
  explicit ReadSets(const ProofModel &X) : X(X) {}

  /// Numbers of lines.
  const llvm::SparseBitVector<> &of(ComputationId C);

private:
  void add(HloId Id, llvm::SparseBitVector<> &Set) const;

  const ProofModel &X;
  DenseMap<uint32_t, llvm::SparseBitVector<>> Sets;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_READSETS_H
