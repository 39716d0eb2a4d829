// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that a program could do without.

#ifndef HLOBUF_MEMORY_WASTE_H
#define HLOBUF_MEMORY_WASTE_H

#include "Memory/Checkpoints.h"
#include "Memory/Donations.h"
#include "Memory/StoredInvariants.h"

namespace hlobuf {

/// One for each row of Waste.def; docs/checks/lint-*.md say what each means.
enum class WasteKind : uint8_t {
#define HLOBUF_WASTE(Kind, Id, When, Needs, Summary) Kind,
#include "Memory/Waste.def"
};

/// The lint that reports \p Kind.
StringRef checkOf(WasteKind Kind);

/// One thing that costs memory at the peak of the main memory space.
struct Waste {
  WasteKind Kind;
  /// What costs it.
  ValueId Value;
  /// The allocation that would be smaller.
  AllocationId Owner;
  /// A second value that it is about; may be invalid.
  ValueId Other;
  /// Bytes by which the peak falls, as far as live ranges show it.
  uint64_t Saved = 0;
  /// One clause without the saved bytes.
  std::string Message;
  /// What a user can do.
  std::string Hint;
  /// Arguments that it is about, with names that differ in numbers only.
  unsigned Count = 1;
  /// Of a Copy: giving the argument away saves it.
  bool ByDonation = false;
  /// A donation below the threshold: it counts in sums, nobody is told.
  bool Small = false;
};

/// Smaller savings are not reported: this part of what the space needs, and
/// this many bytes.
constexpr uint64_t WasteShare = 100;
constexpr uint64_t MinWaste = 4096;

/// What a program could do without.
struct MemoryAnswers {
  /// By kind, then by saved bytes.
  std::vector<Waste> Wasted;
  /// Nothing without a module that derives times.
  std::optional<CopyTable> Copies;
  DonationTable Donations;
  std::vector<StoredInvariant> Stored;
  std::vector<Recomputation> Recomputed;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WASTE_H
