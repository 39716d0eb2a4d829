// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ledger as text. Nothing here decides.

#ifndef HLOBUF_PROOF_LEDGERTEXT_H
#define HLOBUF_PROOF_LEDGERTEXT_H

#include "Proof/Kernel.h"

namespace hlobuf::proof {

/// How \p Owed, of \p P, is named.
std::string spellObligation(const Program &P, const Obligation &Owed);

/// Names an obligation.
using SpellFn = function_ref<std::string(const Obligation &)>;

/// Columns with tabs between them, or a JSON object in each line.
enum class LedgerFormat : uint8_t { Text, Json };

/// Prints \p Shown of the dump \p Path, without that if it is empty, a line for
/// each obligation: kind, topic, outcome, what it is about, and why; then what
/// stopped the proof, and faults of the kernel.
void printProof(StringRef Path, const Proof &Shown, SpellFn Spell,
                LedgerFormat Format, raw_ostream &OS);

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_LEDGERTEXT_H
