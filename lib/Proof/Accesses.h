// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions read, write and share.

#ifndef HLOBUF_PROOF_ACCESSES_H
#define HLOBUF_PROOF_ACCESSES_H

#include "Proof/Homes.h"

namespace hlobuf::proof {

/// A part of an operand that is read.
struct PartRead {
  uint32_t Operand = 0;
  uint32_t Ordinal = 0;
  /// The line that stands for it; invalid if none does.
  ValueId Home;
};

/// A part of a result that an instruction writes.
struct PartWrite {
  uint32_t Ordinal = 0;
  ValueId Line;
};

/// A part with a line of its own that is one of its sources.
struct PartBinding {
  uint32_t Ordinal = 0;
  ValueId Line;
  ArrayRef<Part> Sources;
};

/// The same for every visit of an instruction that runs.
struct InstructionAccesses {
  ArrayRef<PartRead> Reads;
  ArrayRef<PartWrite> Writes;
  ArrayRef<PartBinding> Bindings;
};

/// Looked up once for all instructions.
class Accesses {
public:
  Accesses(const ValuePlaces &Lines, const PartSources &From,
           const Homes &Home);

  InstructionAccesses of(HloId Id) const;
  /// Pairs that the opcode or the text says \p Id works on in place.
  SmallVector<WorkingPair, 2> pairs(HloId Id) const;
  /// Those of them that must be one place: what the text declares, and
  /// operations that cannot copy.
  SmallVector<WorkingPair, 2> requiredPairs(HloId Id) const;

private:
  void addReads(HloId Id);

  const ValuePlaces &Lines;
  const PartSources &From;
  const Homes &Home;
  const Program &P;
  /// By slot, where its own begin in the arrays below; one more ends the last.
  struct Begin {
    uint32_t Reads = 0, Writes = 0, Bindings = 0;
    uint32_t NumReads = 0, NumWrites = 0, NumBindings = 0;
  };
  std::vector<Begin> Begins;
  std::vector<PartRead> Reads;
  std::vector<PartWrite> Writes;
  std::vector<PartBinding> Bindings;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_ACCESSES_H
