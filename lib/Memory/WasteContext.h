// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the search for waste shares.

#ifndef HLOBUF_MEMORY_WASTECONTEXT_H
#define HLOBUF_MEMORY_WASTECONTEXT_H

#include "Memory/ValueNames.h"
#include "Memory/Waste.h"

namespace hlobuf {

/// A parameter of the entry computation, or an element of one.
struct EntryParameter {
  AllocationId Owner;
  /// The value that the caller gives.
  ValueId Value;
  /// It is in the memory of a result, or input_output_alias names it.
  bool Aliased = false;
  /// input_output_alias names it.
  bool Asked = false;
  /// buffer_donor names it: given away, and no result takes it.
  bool Donor = false;
};

/// A result of the entry computation in an allocation of its own.
struct EntryResult {
  AllocationId Owner;
  ValueId Value;
};

/// What is known of the main memory space before waste is looked for, and what
/// was found.
class WasteContext {
public:
  WasteContext(const MemoryUse &Memory, const ValueNames &Names,
               const SpaceUse &Main, const ModuleAnalysis *Module);

  std::string spell(ValueId V) const;
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
  /// \p Name is in \p Outer, or in what instructions of \p Outer call.
  bool isInside(NameId Name, ComputationId Outer) const;
  /// \p Name is in what \p Caller calls.
  bool isRunBy(NameId Name, HloId Caller) const;
  /// The program has an operation that \p Name computes: the compiler did not
  /// add it.
  bool isUsersOwn(NameId Name) const;
  /// No other value is written into the bytes of \p V while it is held.
  bool isAlone(const HeldValue &V) const;
  /// How a user gives away an argument, in the words of what the program was
  /// written with.
  std::string donationHint() const;
  /// Adds it if it is worth it.
  void add(Waste Found);
  /// \p X and \p Y are in one alias set of the module.
  bool sameSet(ValueId X, ValueId Y) const;
  /// \p V is in the allocation of an argument that its caller gives away.
  bool isDonated(ValueId V) const;

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
  std::vector<HeldValue> Held;
  std::vector<EntryParameter> Parameters;
  std::vector<EntryResult> Results;
  /// By allocation: there is an ArgumentCopy or ReturnedArgument about it.
  std::vector<bool> Told;
  std::vector<Waste> Found;

private:
  void findEntry();
  void markDonated();
};

/// Instruction \p Name, which reads \p Source, can write its result over it. A
/// fusion can if each instruction on the way from there can
/// (HloDataflowAnalysis::CanShareOperandBufferWithUser, 2019); what a loop
/// reads is needed until it ends.
bool readsInPlace(const WasteContext &Ctx, NameId Name, NameId Source);

/// Adds PeakCopy, ArgumentCopy and ReturnedArgument, and fills in Told.
void findCopies(WasteContext &Ctx);
/// Adds PossibleDonation and UnusedDonation; after findCopies().
void findDonations(WasteContext &Ctx);
/// Adds WideCopy.
void findHeld(WasteContext &Ctx);
/// Adds TilePadding.
void findPadding(WasteContext &Ctx);

/// The waste in the main memory space (color 0) of \p Memory, by kind, then by
/// saved bytes. What needs the module is left out where \p Module is null.
std::vector<Waste> findWaste(const MemoryUse &Memory, const ValueNames &Names,
                             const ModuleAnalysis *Module);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WASTECONTEXT_H
