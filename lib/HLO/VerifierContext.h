// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifiers share.

#ifndef HLOBUF_HLO_VERIFIERCONTEXT_H
#define HLOBUF_HLO_VERIFIERCONTEXT_H

#include "HLO/Module.h"
#include "Support/Format.h"

namespace hlobuf {

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
  /// precision and what is dynamic. False if either is invalid.
  bool compatible(ShapeId A, ShapeId B) const;

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

} // namespace hlobuf

#endif // HLOBUF_HLO_VERIFIERCONTEXT_H
