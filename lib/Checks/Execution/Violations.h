// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the proof found, handed to the checks that tell it.

#ifndef HLOBUF_CHECKS_EXECUTION_VIOLATIONS_H
#define HLOBUF_CHECKS_EXECUTION_VIOLATIONS_H

#include "Checks/Check.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Proof/Kernel.h"

namespace hlobuf {

/// An obligation that is violated.
struct Violation {
  proof::Obligation Owed;
  proof::Breach How;
  proof::Evidence Shown;
};

/// Hands \p Tell what is violated of the obligations that the check of \p Diags
/// reports (Proof/Kinds.def), in the order of the ledger, and says why others
/// of them are open. Where the module cannot be used \p Diags says only that.
void tellViolations(
    const CheckContext &Ctx, Reporter &Diags,
    function_ref<void(const ModuleAnalysis &, ArrayRef<Violation>)> Tell);

/// Counts the gates that fired, and says why what is open is open, of the
/// obligations that the check of \p Diags reports.
void reportOpen(const proof::Proof &Shown, Reporter &Diags);

/// Notes how many obligations of the kinds [\p Begin, \p End) ended how.
void reportTally(const proof::Ledger &Book, proof::Kind Begin, proof::Kind End,
                 Reporter &Diags);

/// Reports \p Alike, of which there is one at least, in the words of their
/// obligations: the first, and how many there are.
void reportViolations(const ModuleAnalysis &Analysis,
                      ArrayRef<const Violation *> Alike, Reporter &Diags);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_EXECUTION_VIOLATIONS_H
