// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checks prove together.

#ifndef HLOBUF_DRIVER_SENTENCES_H
#define HLOBUF_DRIVER_SENTENCES_H

#include "Results/Result.h"

namespace hlobuf {

/// Fills the sentences of \p R from the outcomes of its checks, their claims,
/// and what was silenced: so this comes after suppressions and the baseline.
///
/// A sentence is broken if one of its checks has an error that counts. It is
/// proved if every check that its proof needs ran to its end and found nothing;
/// one that does not apply is needed only where it is the core. Otherwise it is
/// not shown, with the reasons.
void settleSentences(DumpResult &R);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SENTENCES_H
