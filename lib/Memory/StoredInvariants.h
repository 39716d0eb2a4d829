// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One value, stored n times.
//
// A loop that writes into an array, in each trip, what no trip changes.

#ifndef HLOBUF_MEMORY_STOREDINVARIANTS_H
#define HLOBUF_MEMORY_STOREDINVARIANTS_H

#include "Memory/Copies.h"

namespace hlobuf {

/// One store in a loop.
struct StoredInvariant {
  std::string Name;
  /// The array that it is stored in; may be invalid.
  ValueId Array;
  /// What is stored: `dot_general`, or the name of an argument.
  std::string What;
  /// `scan at rnn.py:12`
  std::string Loop;
  /// What one trip writes.
  uint64_t Bytes = 0;
  uint64_t Trips = 0;
};

/// What the body of a loop stores in place, of more than 64 bytes, although all
/// that it depends on is the same in each trip; the most bytes first.
std::vector<StoredInvariant> findStoredInvariants(const ModuleAnalysis &Module,
                                                  const CopyFinder &Finder,
                                                  const ValueNames &Names);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_STOREDINVARIANTS_H
