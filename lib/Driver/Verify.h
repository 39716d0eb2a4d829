// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One dump through all checks.

#ifndef HLOBUF_DRIVER_VERIFY_H
#define HLOBUF_DRIVER_VERIFY_H

#include "Driver/CheckSelection.h"
#include "Driver/Options.h"
#include "Input/Load.h"
#include "Memory/MemorySummary.h"
#include "Results/Result.h"

namespace hlobuf {

/// True if some check of \p Checks is enabled, and had nothing in its way on
/// the dump of \p R.
bool ran(const GlobList &Checks, const DumpResult &R,
         const CheckSelection &Selection);

/// Runs the selected checks on \p L, which was read from \p In, and leaves what
/// they computed in \p Context, which is of its model, and has to be made anew
/// if that is cut afterwards. Checks of a large dump run on \p Jobs threads;
/// the result is the same. Memory is summarized where \p WantMemory is given.
/// Sentences but that of the program are not settled yet.
DumpResult verify(const Input &In, LoadedDump &L, const CheckContext &Context,
                  const CheckSelection &Selection,
                  const SummaryOptions *WantMemory = nullptr,
                  unsigned Jobs = 1);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_VERIFY_H
