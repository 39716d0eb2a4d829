// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From verdicts to results.

#ifndef HLOBUF_DRIVER_DUMPRESULTS_H
#define HLOBUF_DRIVER_DUMPRESULTS_H

#include "Driver/Verify.h"
#include "Results/Result.h"

namespace hlobuf {

/// The result of \p V, which belongs to \p L.
DumpResult makeResult(const Input &In, const LoadedDump &L, Verdict V);

/// The result of \p To, whose files have the same contents as those of
/// \p From, whose result is \p Original.
DumpResult retarget(const DumpResult &Original, const Input &From,
                    const Input &To);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_DUMPRESULTS_H
