// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of an instruction by its name: from its text in the dump or,
// where that has none, from the module.

#ifndef HLOBUF_MEMORY_INSTRUCTIONS_H
#define HLOBUF_MEMORY_INSTRUCTIONS_H

#include "Dataflow/ModuleAnalysis.h"

namespace hlobuf {

/// The attributes of \p Id as the module prints them; empty if it hides \p Id.
inline StringRef attributesOf(const Program &P, HloId Id) {
  const HloModule &M = P.module();
  return P.isHidden(Id) ? StringRef() : M.attributes(M[Id]);
}

/// The opcode of \p Name; Unknown if it is not known.
Opcode findOpcode(const Facts &DumpFacts, NameId Name);

/// The attributes of \p Name, with the leading `, `; empty if they are not
/// known.
StringRef findAttributes(const Facts &DumpFacts, NameId Name);

/// The op_name that \p Name states itself, as printed; empty if it has none:
/// the compiler added it.
StringRef findOpName(const Facts &DumpFacts, NameId Name);

/// The name of operand \p Number of \p Name; invalid if there is none.
NameId findOperand(const Facts &DumpFacts, NameId Name, uint32_t Number);

/// The value that is the result of \p Name; invalid if that is not known, or
/// \p Name is not valid.
ValueId findValue(const Facts &DumpFacts, NameId Name);

/// The name of what has the bytes of operand 0 of \p Name: where the dump names
/// an element that no text defines (since 2026-07-13), the one of the module.
NameId findSource(const Facts &DumpFacts, NameId Name);

/// \p Id, which reads \p Source, can write its result over it. A fusion can if
/// each instruction on the way from there can
/// (HloDataflowAnalysis::CanShareOperandBufferWithUser, 2019); what a loop
/// reads is needed until it ends.
bool readsInPlace(const Program &P, HloId Id, HloId Source);

/// \p Id, itself, computes a product of matrices or a convolution, also by a
/// call of a library.
bool isProduct(const Program &P, HloId Id);

/// Values that ENTRY returns in allocations of \p Color that are neither
/// arguments nor constants, one of each, in the order of the result.
std::vector<HloValueId> findOwnResults(const ModuleAnalysis &Module,
                                       const Dump &D, int32_t Color);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_INSTRUCTIONS_H
