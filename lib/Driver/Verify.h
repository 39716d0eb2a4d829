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

/// What the checks say about one dump.
struct Verdict {
  /// Sorted by place, folded, severities final.
  std::vector<Diagnostic> Findings;
  std::vector<ResultUncounted> Uncounted;
  /// All selected checks, in the order of Checks.def.
  std::vector<ResultCheck> Checks;
  std::vector<SkippedCheck> Skipped;
  std::vector<ResultExempt> Exempted;
  /// Number of checks that ran to their end.
  unsigned Verified = 0;
  /// Only where it was asked for.
  std::optional<MemorySummary> Memory;
};

/// True if some check of \p Checks is enabled, and had nothing in its way on
/// the dump of \p R.
bool ran(const GlobList &Checks, const DumpResult &R,
         const CheckSelection &Selection);

/// Runs the selected checks on \p L; pages of its texts are released between
/// them. Checks of a large dump run on \p Jobs threads; the verdict is the
/// same. Memory is summarized where \p WantMemory is given.
Verdict verify(LoadedDump &L, const CheckSelection &Selection,
               const SummaryOptions *WantMemory = nullptr, unsigned Jobs = 1);

/// Runs the selected checks on \p L, and leaves what they computed in
/// \p Context, which is of its model, and has to be made anew if that is cut
/// afterwards.
Verdict verify(LoadedDump &L, const CheckContext &Context,
               const CheckSelection &Selection,
               const SummaryOptions *WantMemory = nullptr, unsigned Jobs = 1);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_VERIFY_H
