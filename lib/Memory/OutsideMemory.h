// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is not in the assignment.
//
// On CPU some operations allocate memory of their own while they run, which no
// allocation of the dump has: a stable sort its buffer, a library what it packs
// and accumulates in, LAPACK its workspace.

#ifndef HLOBUF_MEMORY_OUTSIDEMEMORY_H
#define HLOBUF_MEMORY_OUTSIDEMEMORY_H

#include "Memory/MemoryUse.h"
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// What operations of one kind take while they run.
struct OutsideMemory {
  /// `buffer of a stable sort`, `workspace of lapack_ssyevd_ffi`.
  std::string What;
  /// The operation at which the program takes the most, as the dump spells it,
  /// and how many there are. One runs after the other.
  std::string Example;
  unsigned Count = 0;
  /// What that one takes; nothing where the library does not say.
  std::optional<uint64_t> Bytes;
  /// Of a fusion that a library runs: the bytes of the largest value inside,
  /// with what a product takes. It is made in parts or as a whole.
  uint64_t Inside = 0;
  /// What the program holds at its step, without what is idle in results, which
  /// are not written yet; nothing where it has no step.
  std::optional<uint64_t> Used;

  /// `1.00MiB`, `up to 1.00MiB`, `not known`.
  std::string bytesText() const;
};

/// What a program takes beyond its assignment, by its HLO module; empty without
/// one, and on other backends than CPU.
std::vector<OutsideMemory> findOutsideMemory(const MemoryUse &Memory);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_OUTSIDEMEMORY_H
