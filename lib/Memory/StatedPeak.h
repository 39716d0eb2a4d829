// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peak that XLA states, and why it is another one.

#ifndef HLOBUF_MEMORY_STATEDPEAK_H
#define HLOBUF_MEMORY_STATEDPEAK_H

#include "Memory/MemoryUse.h"

namespace hlobuf {

/// XLA's peak list against what the main memory space holds at its step: Bytes
/// is HeldBytes, plus More, less Less.
struct StatedPeak {
  int32_t Step = 0;
  /// The sum of the list.
  uint64_t Bytes = 0;
  /// What the main memory space holds at that step; nothing where times are
  /// another's, or some row is not a value of the dump: then nothing is
  /// explained.
  std::optional<uint64_t> HeldBytes;
  /// What the list counts beyond that, and what it leaves out; bytes, the
  /// largest first, none of them 0.
  std::vector<std::pair<std::string, uint64_t>> More, Less;
};

/// The peak that the dump of \p Memory states; nothing if it states none.
std::optional<StatedPeak> explainStatedPeak(const MemoryUse &Memory);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_STATEDPEAK_H
