// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of XLA by release.

#ifndef HLOBUF_PROGRAM_RELEASERULES_H
#define HLOBUF_PROGRAM_RELEASERULES_H

#include "Facts/ReleaseWindow.h"
#include <vector>

namespace hlobuf {

/// The rules of aliasing, the schedule and live ranges that releases change.
/// The defaults are the newest ones.
struct ReleaseRules {
  static constexpr bool Since = true;
  static constexpr bool Until = false;

  /// The oldest date these rules are of, as yyyymmdd.
  uint32_t From = 0;
#define HLOBUF_FLOW_RULE(Name, Date, Direction, Programs, What)                \
  bool Name = Direction;
#include "Dump/Releases.def"
  /// reshape is a no-op that fusions are looked through over (GPU).
  bool ReshapeIsNoOp = false;
  /// An all-reduce-start with nvshmem is not in place (GPU).
  bool NvshmemCopies = false;

  bool operator==(const ReleaseRules &) const = default;
};

/// The rules that a dump of \p Window and \p B may follow, newest first;
/// never empty.
std::vector<ReleaseRules> possibleRules(const ReleaseWindow &Window, Backend B);

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_RELEASERULES_H
