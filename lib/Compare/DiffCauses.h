// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may have caused a change.

#ifndef HLOBUF_COMPARE_DIFFCAUSES_H
#define HLOBUF_COMPARE_DIFFCAUSES_H

#include "Compare/Matching.h"

namespace hlobuf {

/// Values of a memory space that were matched.
struct MatchedSpace {
  const ComparedSpace *Old = nullptr;
  const ComparedSpace *New = nullptr;
  std::vector<ValueMatch> Matches;
};

/// How the two programs differ before any value is placed: donations,
/// arguments, recomputation, the compiler. A line each, for people; one at
/// least.
std::vector<std::string> findCauses(const ProgramMemory &Old,
                                    const ProgramMemory &New,
                                    llvm::ArrayRef<MatchedSpace> Spaces);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_DIFFCAUSES_H
