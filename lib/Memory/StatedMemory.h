// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other texts than dumps say of memory.
//
// XLA's messages that memory ran out, with any log around them, and its memory
// usage reports. They have neither order nor readers: what they say is where
// bytes are, never why.

#ifndef HLOBUF_MEMORY_STATEDMEMORY_H
#define HLOBUF_MEMORY_STATEDMEMORY_H

#include "Memory/MemorySummary.h"

namespace hlobuf {

/// One message, or one report.
struct StatedMemory {
  /// What ran out, for people: `20.1GiB are needed, 15.75GiB of hbm are there`;
  /// empty for a report.
  std::string Lack;
  /// Where the bytes are, as far as the text says: all but what is known of
  /// values.
  std::optional<MemorySummary> Summary;
};

/// The last message of \p Text, or the report that it is; nothing if there is
/// none.
std::optional<StatedMemory> readStatedMemory(StringRef Text,
                                             const SummaryOptions &Options);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_STATEDMEMORY_H
