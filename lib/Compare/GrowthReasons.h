// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a peak grew: the values that no longer share memory, and what keeps them
// apart.

#ifndef HLOBUF_COMPARE_GROWTHREASONS_H
#define HLOBUF_COMPARE_GROWTHREASONS_H

#include "Compare/ProgramMemory.h"

namespace hlobuf {

/// A dump, and what its values are called.
struct MeasuredProgram {
  const MemoryUse &Memory;
  const ValueNames &Names;
};

/// For each memory space whose peak grew from \p Old to \p New, what is there
/// now and was not, the most bytes first, a line each: values that shared
/// memory with another one and are apart, with the step and the reader that
/// keep them apart; values that were not live together and are; values that the
/// old program computed inside of a fusion, or did not have. Steps and names
/// are those of the new dump. Empty where no peak grew, or times are not known.
std::vector<std::string> explainGrowth(const MeasuredProgram &Old,
                                       const MeasuredProgram &New);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_GROWTHREASONS_H
