// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What donations saved.
//
// A donated argument gives its bytes to a result. Where the result is computed
// elsewhere and copied there, or the old value is kept in a copy, temps take
// what the donation saves.

#ifndef HLOBUF_MEMORY_DONATIONS_H
#define HLOBUF_MEMORY_DONATIONS_H

#include "Memory/Copies.h"

namespace hlobuf {

/// A donated argument and its result; sizes in bytes.
struct Donation {
  /// `params['w']`
  std::string Argument;
  ValueId Value;
  /// Of the result.
  uint64_t Bytes = 0;
  /// What the program needs less, in this schedule.
  uint64_t Saved = 0;
  /// Why it is less than Bytes, and what to change; may be empty.
  std::string Why;
  std::string Change;
};

/// All donations of a program.
struct DonationTable {
  uint64_t Bytes = 0;
  /// What all of them save together.
  uint64_t Saved = 0;
  unsigned Count = 0;
  /// There are no temps: Saved is not an estimate.
  bool Exact = false;
  /// Those that save less than the size of their result, the largest loss
  /// first.
  std::vector<Donation> Lossy;
};

/// What the pairs of input_output_alias save in \p Main. \p Finder is about
/// \p Module, and \p Copies is what it found.
DonationTable findDonationSavings(const MemoryUse &Memory, const SpaceUse &Main,
                                  const ModuleAnalysis &Module,
                                  const ValueNames &Names,
                                  const CopyFinder &Finder,
                                  const CopyTable &Copies);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_DONATIONS_H
