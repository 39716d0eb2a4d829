// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that a dump states.
//
// Without a module, 'Used values', instruction texts and the sequence say what
// each step reads and writes (Program/StatedSteps.h). The sequence is executed
// once and straight on: bodies of loops run for one round, the branches of a
// conditional one after the other. What bodies or paths decide is open.

#ifndef HLOBUF_PROOF_STATEDPROOF_H
#define HLOBUF_PROOF_STATEDPROOF_H

#include "Facts/Facts.h"
#include "Proof/Kernel.h"

namespace hlobuf::proof {

/// True if the dump states a program: complete texts and used values, and a
/// sound sequence.
bool statesProgram(const Facts &DumpFacts);

/// Enumerates what has to be shown of the stated program, and decides it.
Proof proveStated(const Facts &DumpFacts, ProvedRows Proved);

/// How \p Owed, of a stated program, is named.
std::string spellStated(const Facts &DumpFacts, const Obligation &Owed);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_STATEDPROOF_H
