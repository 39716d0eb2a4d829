// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the proof found violated, handed to the checks that tell it.

#ifndef HLOBUF_CHECKS_EXECUTION_VIOLATIONS_H
#define HLOBUF_CHECKS_EXECUTION_VIOLATIONS_H

#include "Proof/Kernel.h"

namespace hlobuf {

/// An obligation that is violated.
struct Violation {
  proof::Obligation Owed;
  proof::Breach How;
  proof::Evidence Shown;
};

/// Those of \p Shown that the check \p Check tells (Proof/Reasons.def), in the
/// order of the ledger.
std::vector<Violation> violations(const proof::Proof &Shown,
                                  llvm::StringRef Check);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_EXECUTION_VIOLATIONS_H
