// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where parts come from.
//
// One table for all releases: what a part is, said by the opcode and by what
// its instruction calls. That of forwarded operands is HLOBUF_FORWARD.

#ifndef HLOBUF_PROGRAM_PARTORIGINS_H
#define HLOBUF_PROGRAM_PARTORIGINS_H

#include "Program/Program.h"

namespace hlobuf {

/// The computation that \p Id, an element of an async chain, wraps; invalid for
/// others, and where it is not known.
ComputationId wrappedComputation(const Program &P, HloId Id);

/// The items of output_to_operand_aliasing of \p Id; none if it has no such
/// attribute.
SmallVector<DeclaredAlias, 2> declaredAliases(const Program &P, HloId Id);
/// The parts that these pair.
SmallVector<WorkingPair, 2> declaredPairs(const Program &P, HloId Id);
/// The one of them with part \p Result; nothing if there is none.
std::optional<OperandPart> declaredPart(const Program &P, HloId Id,
                                        uint32_t Result);

/// True if NVSHMEM does \p Id, in some releases with a place of its own for the
/// result (Releases.def).
bool usesNvshmem(const Program &P, HloId Id);

/// The pairs that the opcode or the text says \p Id may work on in place.
SmallVector<WorkingPair, 2> workingPairs(const Program &P, HloId Id);

/// What a marker of an inlined call forwards as \p At; invalid for others.
Part markedOperand(const Program &P, Part At);

/// What \p At is: one of these at run time. None if its instruction defines it;
/// a source that the text does not have is an invalid part. Releases differ in
/// what is updated in place, which is defined if \p IsValue.
SmallVector<Part, 2> originsOf(const Program &P, Part At, bool IsValue);

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_PARTORIGINS_H
