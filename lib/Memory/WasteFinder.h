//===- Memory/WasteFinder.h - What rules of waste share ---------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_MEMORY_WASTEFINDER_H
#define HLOBUF_MEMORY_WASTEFINDER_H

#include "Memory/Waste.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

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

/// Finds bytes of the main memory space that the program could do without.
class WasteFinder {
public:
  WasteFinder(const MemoryUse &Use, const SpaceUse &Main,
              const ModuleAnalysis *W);

  std::vector<Waste> run();

private:
  // WasteDonation.cpp
  void findEntry();
  void markDonated();
  void findDonations();
  void findUnusedDonations();
  bool mayTake(const EntryResult &R, int32_t Written,
               const EntryParameter &P) const;
  std::optional<int32_t> firstWrite(const EntryResult &R) const;
  bool readsInPlace(NameId Name, NameId Source) const;
  bool isOnlyReturned(ValueId V) const;
  uint64_t savedByDonation(const EntryResult &R) const;

  // WasteCopies.cpp
  void findCopies();
  bool isCopiedArgument(const EntryResult &R);
  struct ForcedCopy;
  void addPeakCopy(ValueId Copy, ValueId Source);
  bool hasOperand(NameId Name, NameId Source) const;
  bool isForced(ForcedCopy &C) const;
  std::pair<std::string, std::string> explain(const ForcedCopy &C) const;
  std::string describeWriter(ValueId V) const;
  std::string describeUpdate(ValueId V) const;
  bool isDonated(ValueId V) const;
  bool sameSet(ValueId X, ValueId Y) const;
  ValueId nextInPlace(ValueId V) const;
  ValueId copiedFrom(ValueId V) const;

  // WasteHeld.cpp
  void findHeld();
  bool addWideCopy(const HeldValue &V);
  bool addRecomputable(const HeldValue &V);
  bool addEarlyDefinition(const HeldValue &V);
  bool isCheapToMake(NameId Name) const;
  bool isMove(NameId Reader) const;
  llvm::StringRef spellCheap(NameId Name) const;
  std::optional<StepRange> idleAtPeak(ValueId V) const;
  std::optional<uint64_t> bytesToKeep(NameId Name, int32_t Step) const;

  // WasteSizes.cpp
  void findPadding();
  void findFragmentation();
  void findConstants();

  // Shared.
  std::string spell(ValueId V) const;
  /// As its user calls it: an argument's own name, else the op and the line.
  std::string describe(ValueId V) const;
  /// The value that operand \p Number of \p Name is; invalid if unknown.
  ValueId operand(NameId Name, uint32_t Number) const;
  bool isEntryParameter(ValueId V) const;
  /// The first use of \p V after \p Step; -1 if there is none.
  int32_t useAfter(ValueId V, int32_t Step) const;
  /// The last use of \p V until \p Step, or its definition.
  int32_t useUntil(ValueId V, int32_t Step) const;
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
  /// Adds it if it is worth it.
  void add(Waste Found);
  /// The same for one of several arguments of one name but for numbers, which
  /// become one entry.
  void addArgument(Waste Found);
  void addArguments();

  const MemoryUse &Use;
  const Facts &A;
  const Dump &D;
  const SpaceUse &Main;
  const ModuleAnalysis *W;
  uint64_t Threshold;
  /// Held at the peak, large enough to matter.
  std::vector<HeldValue> Held;
  std::vector<EntryParameter> Parameters;
  std::vector<EntryResult> Results;
  /// Copies of these that are written over have been told about: at most one of
  /// several could be left out.
  llvm::DenseSet<uint32_t> Copied;
  /// By allocation: there is an ArgumentCopy or ReturnedArgument about it.
  std::vector<bool> Told;
  std::vector<Waste> Found;
  /// By kind, shape and name without numbers.
  std::map<std::tuple<WasteKind, ShapeId, std::string>, Waste> Arguments;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WASTEFINDER_H
