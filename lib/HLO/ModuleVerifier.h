// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module must be to be read.

#ifndef HLOBUF_HLO_MODULEVERIFIER_H
#define HLOBUF_HLO_MODULEVERIFIER_H

#include "HLO/Module.h"

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

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULEVERIFIER_H
