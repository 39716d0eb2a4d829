// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the search for waste shares.

#ifndef HLOBUF_MEMORY_WASTECONTEXT_H
#define HLOBUF_MEMORY_WASTECONTEXT_H

#include "Memory/Waste.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace hlobuf {

/// A parameter of the entry computation, or an element of one.
struct EntryParameter {
  AllocationId Owner;
  /// The value that the caller gives.
  ValueId Value;
  /// It is in the memory of a result, or input_output_alias names it.
  bool IsTaken = false;
  /// input_output_alias names it.
  bool IsDeclared = false;
  /// buffer_donor names it: given away, and no result takes it.
  bool Donor = false;
};

/// A result of the entry computation in an allocation of its own.
struct EntryResult {
  AllocationId Owner;
  ValueId Value;
};

/// A result that could be in the memory of an argument that is not donated.
struct PossibleDonation {
  ValueId Argument;
  EntryResult Result;
};

/// What is known of the main memory space before waste is looked for, and what
/// was found.
class WasteContext {
public:
  WasteContext(const MemoryUse &Memory, const ValueNames &Names,
               const SpaceUse &Main, const ModuleAnalysis *Module);

  /// What its user calls it; other values are spelled, too.
  std::string describe(ValueId V) const;
  /// The value that operand \p Number of \p Name is; invalid if unknown.
  ValueId operand(NameId Name, uint32_t Number) const;
  bool isEntryParameter(ValueId V) const;
  /// The first use of \p V after \p Step; -1 if there is none.
  int32_t useAfter(ValueId V, int32_t Step) const;
  int32_t lastUse(ValueId V) const;
  /// The instruction that reads \p V at \p Step; invalid if none does.
  NameId readerAt(ValueId V, int32_t Step) const;
  /// The computation that \p Name is in; invalid if the module does not have
  /// it.
  ComputationId parentOf(NameId Name) const;
  /// Adds it if it is worth it.
  void add(Waste Item);
  /// \p X and \p Y are in one alias set of the module.
  bool sameSet(ValueId X, ValueId Y) const;

  const MemoryUse &Memory;
  const ValueNames &Names;
  const Facts &DumpFacts;
  const Dump &D;
  const SpaceUse &Main;
  /// Null if there is none.
  const ModuleAnalysis *Module;
  /// Bytes that are worth a finding.
  uint64_t Threshold;
  /// Held at the peak, large enough to matter.
  std::vector<HeldValue> PeakValues;
  std::vector<EntryParameter> Parameters;
  std::vector<EntryResult> Results;
  /// By allocation of a result: a Copy is about it.
  std::vector<bool> Reported;
  std::vector<Waste> Items;
  /// Nothing without a module that derives times.
  std::optional<CopyTable> Copies;
  DonationTable Donated;
  std::vector<StoredInvariant> Stored;
  std::vector<Recomputation> Recomputed;
  /// Donations that save a copy, and those of PossibleDonation, small ones too.
  std::vector<PossibleDonation> Donations;

private:
  void findEntry();
  void markDonated();
};

/// Results that are not returned, or are in the memory of arguments, all of
/// them together. Their allocations go away; what else these held needs another
/// place, and so does a copy of each argument that somebody may read after its
/// result is written: copy insertion goes by what depends on what, not by a
/// schedule, but for TPU (xla/service/copy_insertion.cc, 2017).
class ResultPlan {
public:
  explicit ResultPlan(const WasteContext &Ctx);

  /// \p Result has no allocation of its own.
  void add(const EntryResult &Result);
  /// \p P gives its memory to \p Result, which was added and is written from
  /// step \p Written on.
  void give(const EntryParameter &P, const EntryResult &Result,
            int32_t Written);
  /// By how many bytes the program needs less memory.
  uint64_t saved() const;
  /// saved() as a part of the allocations of all results, from 0 to 1.
  double share() const;

private:
  bool isReadBefore(const EntryParameter &P, HloId Writer);
  void addOperands(HloId Writer);

  const WasteContext &Ctx;
  uint64_t Bytes = 0;
  uint64_t LargestCopy = 0;
  /// Allocations of the results.
  DenseSet<uint32_t> Gone;
  /// Values that only an update of an argument reads.
  llvm::SetVector<uint32_t> Gradients;
  /// Instructions that addOperands() has seen.
  DenseSet<uint32_t> Writers;
  /// Instructions that may still be asked for what they depend on.
  size_t Budget;
  /// By how many bytes these change at each step: what needs another place,
  /// copies of arguments, and what nobody needs in the arguments.
  std::vector<uint64_t> Displaced;
  std::vector<uint64_t> Copies;
  std::vector<uint64_t> Idle;
};

/// Adds Copy, UnusedDonation of those that save less than they could, and
/// StoredInvariant, and fills in Copies, Donated, Stored and Reported.
void findCopies(WasteContext &Ctx);
/// Adds PossibleDonation and UnusedDonation; after findCopies().
void findDonations(WasteContext &Ctx);
/// Adds TilePadding.
void findPadding(WasteContext &Ctx);

/// What is known of the main memory space (color 0) of \p Memory. What needs
/// the module is left out where \p Module is null.
MemoryAnswers findAnswers(const MemoryUse &Memory, const ValueNames &Names,
                          const ModuleAnalysis *Module);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WASTECONTEXT_H
