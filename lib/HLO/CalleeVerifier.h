// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module's callees must be.

#ifndef HLOBUF_HLO_CALLEEVERIFIER_H
#define HLOBUF_HLO_CALLEEVERIFIER_H

#include "HLO/VerifierContext.h"

namespace hlobuf {

/// Holds what instructions call against the rows HLOBUF_CALLEE of Opcodes.def.
/// For verifyModule() alone.
struct CalleeVerifier : VerifierContext {
  /// Refuses parameters whose numbers are not 0, 1, .. in their computation.
  explicit CalleeVerifier(const VerifierContext &C);

  /// False, and refused, if \p I calls too many or too few computations, or
  /// such that do not fit its operands and result.
  bool verifyCalls(const HloInstruction &I) const;

  /// The parameters of \p C by number; invalid where one is missing.
  ArrayRef<HloId> parameters(ComputationId C) const {
    return ArrayRef<HloId>(Parameters)
        .slice(Begin[C.index()], Begin[C.index() + 1] - Begin[C.index()]);
  }

  void findParameters(const HloComputation &Callee);
  bool verifyParameters(const HloInstruction &I, const CalleeRule &Rule,
                        ComputationId Callee, size_t Place) const;
  bool verifyPassed(const HloInstruction &I, ComputationId Callee,
                    uint32_t Number, size_t Operand) const;
  bool verifyRoot(const HloInstruction &I, ComputationId Callee,
                  ShapeId To) const;

  /// By number, one computation after the other.
  std::vector<HloId> Parameters;
  std::vector<uint32_t> Begin;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_CALLEEVERIFIER_H
