// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module must be to be read.

#ifndef HLOBUF_HLO_MODULEVERIFIER_H
#define HLOBUF_HLO_MODULEVERIFIER_H

#include "HLO/Module.h"
#include "Support/Format.h"

namespace hlobuf {

/// Calls \p Refuse for each instruction of \p M that is malformed, with the
/// place and the reason. \p M has been read without a complaint: operands and
/// callees are there. If nothing is refused, in all of \p M, also in what is
/// never called,
/// - every known opcode has as many operands as Opcodes.def says, and names the
///   computations that it says;
/// - the parameters of a computation are numbered 0, 1, .. without gaps, are as
///   many as the caller passes, and, where Opcodes.def says that they are its
///   operands, have their shapes; so do root and result;
/// - a result that is made of operands has their shapes: of tuple, elements,
///   loops, barriers, starts and dones of async ops;
/// - results of several arrays are as many as their operands ask for, and
///   opcodes that compute with arrays get no tuples;
/// - shape indices of aliases and donors exist.
/// Shapes are compared without layouts, precision and what is dynamic; what
/// sizes of arrays follow from operands is the business of module-instructions.
void verifyModule(const HloModule &M, HloTables Tables,
                  function_ref<void(StringRef Loc, std::string Reason)> Refuse);

/// A module whose operands and callees are resolved, and whom to tell what is
/// malformed in it. For verifyModule() alone.
struct VerifierContext {
  const Shape &shape(ShapeId Id) const { return Tables.Shapes[Id]; }
  /// The part of \p Id at \p Steps; invalid if there is none.
  ShapeId at(ShapeId Id, ArrayRef<uint32_t> Steps) const {
    return Tables.Shapes.at(Id, Steps);
  }
  /// The shape of operand \p K of \p I, which has as many.
  ShapeId operandShape(const HloInstruction &I, size_t K) const;
  /// True if bytes of \p A can be those of \p B: the same but for layouts,
  /// precision and what is dynamic, and for \p Shards the sizes of dimensions.
  /// False if either is invalid.
  bool compatible(ShapeId A, ShapeId B, bool Shards = false) const;

  StringRef name(const HloInstruction &I) const { return M.name(I); }
  StringRef name(ComputationId C) const { return M.name(M[C]); }
  /// `add x.1`
  std::string spell(const HloInstruction &I) const;
  /// \p Id without layouts; `none` if it is invalid.
  std::string text(ShapeId Id) const;

  /// Says that \p I is malformed, at its opcode. Always false.
  template <typename... Ts>
  bool refuse(const HloInstruction &I, fmt::format_string<Ts...> Format,
              Ts &&...Args) const {
    refuse(opcodePlace(I), Format, std::forward<Ts>(Args)...);
    return false;
  }
  /// The same at \p Loc.
  template <typename... Ts>
  void refuse(StringRef Loc, fmt::format_string<Ts...> Format,
              Ts &&...Args) const {
    Refuse(Loc, fmt::format(Format, std::forward<Ts>(Args)...));
  }

  StringRef opcodePlace(const HloInstruction &I) const;

  const HloModule &M;
  HloTables Tables;
  function_ref<void(StringRef, std::string)> Refuse;
};

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

#endif // HLOBUF_HLO_MODULEVERIFIER_H
