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

} // namespace hlobuf

#endif // HLOBUF_DRIVER_DUMPRESULTS_H
