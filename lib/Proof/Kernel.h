// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof that a program gets what it must from its buffers.

#ifndef HLOBUF_PROOF_KERNEL_H
#define HLOBUF_PROOF_KERNEL_H

#include "Proof/Deciders.h"

namespace hlobuf::proof {

/// What is shown of one program.
struct Proof {
  Ledger Book;
  /// Why nothing could be enumerated, or execution did not end; empty if all
  /// went well.
  std::string Obstacle;
};

/// Whether a ledger keeps a row of what is proved, or only how many there are.
enum class ProvedRows : bool { Forgotten, Kept };

/// Enumerates what has to be shown of \p P, and decides it.
Proof prove(const Program &P, ElementRule Elements, ProvedRows Proved);

/// How \p Owed, of \p P, is named.
std::string spellObligation(const Program &P, const Obligation &Owed);

/// Names an obligation.
using SpellFn = llvm::function_ref<std::string(const Obligation &)>;

/// Columns with tabs between them, or a JSON object in each line.
enum class LedgerFormat : uint8_t { Text, Json };

/// Prints \p Shown of the dump \p Path, a line for each obligation: kind,
/// topic, outcome, what it is about, and why; then what stopped the proof, and
/// faults of the kernel.
void printProof(llvm::StringRef Path, const Proof &Shown, SpellFn Spell,
                LedgerFormat Format, llvm::raw_ostream &OS);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_KERNEL_H
