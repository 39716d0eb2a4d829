// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that a fusion forwards, or a computation of another thread.

#ifndef HLOBUF_DATAFLOW_FORWARDING_H
#define HLOBUF_DATAFLOW_FORWARDING_H

#include "Program/Program.h"

namespace hlobuf {

/// Tells which outputs of an instruction are, byte for byte, one of its
/// operands. Where such an output is placed on that operand, nothing is
/// written. The fused computation decides; a declared alias alone says nothing,
/// as a fusion that updates its operand in place declares it too.
class Forwarding {
public:
  explicit Forwarding(const Program &P) : P(P) {}

  /// What part \p Ordinal of \p Id is; nothing if it is computed, or unknown.
  /// Nothing for a tuple index table, which is always written.
  std::optional<OperandPart> find(HloId Id, uint32_t Ordinal);

  /// A part of an instruction, which may be inside a fused computation.
  struct Part {
    HloId Id;
    uint32_t Ordinal = 0;
    bool operator==(const Part &) const = default;
  };
  /// Where bytes were computed; several fusions may call one computation.
  struct Origin {
    /// Invalid outside of fusions.
    HloId Fusion;
    Part Node;
    bool operator==(const Origin &) const = default;
  };
  /// The origin of the bytes of \p Node: parts of one origin hold the same
  /// bytes. Gives up after some steps, with a part on the way.
  Origin origin(Part Node);

private:
  enum class Step : uint8_t { Forward, Enter, Parameter, Stop };

  static IdPair key(Part Node) { return {Node.Id.index(), Node.Ordinal}; }
  Step next(Part &Node) const;
  bool stepOver(Part &Node, uint32_t Operand, uint32_t Ordinal) const;
  bool stepOverStart(Part &Node) const;
  HloId rootWith(Part Node) const;
  std::optional<Part> findParameter(Part From);

  const Program &P;
  /// The parameter that a part of a fused computation is; invalid if none.
  llvm::DenseMap<IdPair, Part> Known;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_FORWARDING_H
