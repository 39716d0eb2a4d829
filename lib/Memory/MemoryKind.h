// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds and spaces of memory.

#ifndef HLOBUF_MEMORY_MEMORYKIND_H
#define HLOBUF_MEMORY_MEMORYKIND_H

#include "Facts/Facts.h"
#include <cstdint>
#include <string>

namespace hlobuf {

/// What an allocation is for; a donated parameter counts as a parameter.
enum class MemoryKind : uint8_t {
  Parameter,
  Constant,
  ThreadLocal,
  LiveOut,
  Temp,
  Other,
};
constexpr size_t NumMemoryKinds = 6;

/// Judges by the header of \p Alloc, parameters first.
MemoryKind kindOf(const Allocation &Alloc);

/// `parameter`, `constant`, `thread-local`, `live-out`, `temp`, `other`.
StringRef kindName(MemoryKind Kind);

/// How people call the memory of \p Color on \p B: `HBM`, `VMEM`, `host`,
/// `device`; `color 9` where it has no name. XLA's memory usage report prints
/// the names of another list, which are wrong for some colors.
std::string spaceName(Backend B, int32_t Color);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_MEMORYKIND_H
