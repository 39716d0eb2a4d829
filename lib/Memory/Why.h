// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why values are live.

#ifndef HLOBUF_MEMORY_WHY_H
#define HLOBUF_MEMORY_WHY_H

#include "Memory/ValueNames.h"

namespace hlobuf {

/// An answer, a line each; without lines where the dump has no such value.
struct WhyAnswer {
  std::string Question;
  std::vector<std::string> Lines;
};

/// Why the value that the dump spells \p Spelled, `fusion.1{0}`, is live: when
/// it is, and what reads it, in the order of steps. Says so where the dump has
/// no live ranges. No lines where it has no such value.
WhyAnswer whyLive(const MemoryUse &Memory, const ValueNames &Names,
                  StringRef Spelled);

/// What keeps \p V to the end of its live range: the one that reads it last,
/// or what has it longer. Empty if its live range is not known.
std::string whatKeeps(const MemoryUse &Memory, const ValueNames &Names,
                      ValueId V);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WHY_H
