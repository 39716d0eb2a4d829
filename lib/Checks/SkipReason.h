// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a rule was not checked.

#ifndef HLOBUF_CHECKS_SKIPREASON_H
#define HLOBUF_CHECKS_SKIPREASON_H

#include "Facts/Facts.h"
#include "Support/Diagnostic.h"

namespace hlobuf {

/// What belongs to such a computation has other places when it runs.
inline constexpr const char *OtherThreads =
    "computations of other execution threads";

/// Why a check, or a part of it, did not run.
struct SkipReason {
  SkipKind Kind = SkipKind::NotChecked;
  /// The file that would have made it run, where one is missing.
  std::optional<FileRole> Missing;
  std::string Reason;
};

/// Why \p DumpFacts's dump lacks the section \p S: its release prints none, a
/// file is missing, or neither explains it. \p S must be absent.
SkipReason explainAbsence(const Facts &DumpFacts, Section S);

/// The same for a section that is absent or damaged; \p OnlyUnknown: by lines
/// that a newer release may print.
SkipReason explainGap(const Facts &DumpFacts, Section S,
                      bool OnlyUnknown = false);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_SKIPREASON_H
