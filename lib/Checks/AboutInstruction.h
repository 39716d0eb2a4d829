// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about instructions of a program.

#ifndef HLOBUF_CHECKS_ABOUTINSTRUCTION_H
#define HLOBUF_CHECKS_ABOUTINSTRUCTION_H

#include "Checks/Check.h"
#include "Program/Program.h"

namespace hlobuf {

/// \p F is about instruction \p Id of \p P; about nothing where that has no
/// name.
inline void aboutInstruction(Finding &F, const Program &P, HloId Id) {
  if (P.isHidden(Id) || P.isFromTexts())
    F.about(P[Id].Name);
  else
    F.about(P.module(), Id);
}

} // namespace hlobuf

#endif // HLOBUF_CHECKS_ABOUTINSTRUCTION_H
