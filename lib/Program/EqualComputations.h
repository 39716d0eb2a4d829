// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What computes the same.

#ifndef HLOBUF_PROGRAM_EQUALCOMPUTATIONS_H
#define HLOBUF_PROGRAM_EQUALCOMPUTATIONS_H

#include "Program/Program.h"
#include "llvm/ADT/StringMap.h"

namespace hlobuf {

/// Whether two things compute the same.
enum class Equality : uint8_t {
  Different,
  /// They are the same but for constants that the text leaves out.
  Unknown,
  Equal,
};

/// Computations compared from the root through everything that they call.
/// Names, metadata, sharding, control dependencies and the order of the text
/// do not count; opcodes, shapes with layouts, operands, constants and all
/// other attributes do. Of a custom call also its backend_config does.
///
/// Each computation is described once, with the numbers of what it calls, and
/// equal descriptions get one number: linear in the text of the module.
class EqualComputations {
public:
  /// \p P has no obstacle and must outlive this.
  explicit EqualComputations(const Program &P);

  Equality compare(ComputationId X, ComputationId Y) const;
  /// Whether \p X and \p Y compute the same of operands that are the same. A
  /// fusion or call is what it calls.
  Equality compareInstructions(HloId X, HloId Y) const;

private:
  /// Both instructions and computations that are equal have one number.
  struct Description {
    uint32_t Number = 0;
    /// No constant is left out, neither here nor in what is called.
    bool Whole = true;
  };
  Description describe(ComputationId C);
  /// The instructions of \p C, operands first, from the root on; then those
  /// that it does not reach.
  SmallVector<HloId, 16> inOrder(ComputationId C);
  void visit(HloId From, SmallVectorImpl<HloId> &Order);
  /// Adds what \p Id computes to \p Text, without its operands; false if a
  /// constant is left out.
  bool add(HloId Id, std::string &Text) const;
  static Equality compare(const Description &X, const Description &Y);

  const Program &P;
  /// By computation.
  std::vector<Description> Known;
  StringMap<uint32_t> Numbers;
  /// By instruction: its place in the order of its computation; ~0 before.
  std::vector<uint32_t> Places;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_EQUALCOMPUTATIONS_H
