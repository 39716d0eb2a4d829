// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of one program that are large enough to matter.

#ifndef HLOBUF_COMPARE_LARGEVALUES_H
#define HLOBUF_COMPARE_LARGEVALUES_H

#include "Compare/ProgramMemory.h"
#include "Memory/ValueNames.h"
#include "llvm/ADT/DenseMap.h"

namespace hlobuf {

/// The values of one memory space with at least some bytes, with words for
/// them. All states of an array that a loop fills are one value.
class LargeValues {
public:
  /// Those of \p Color with at least \p Least bytes, and all of \p Others.
  LargeValues(const MemoryUse &Memory, const ValueNames &Names, int32_t Color,
              uint64_t Least, llvm::ArrayRef<ValueId> Others);

  /// The number of \p V in Ids; nothing if it is too small.
  std::optional<size_t> numberOf(ValueId V) const;
  /// The steps from the first to the last, closed, at which \p V, or what is
  /// one with it, is live; nothing if that is not known.
  std::optional<StepRange> range(ValueId V) const;

  /// The bytes of \p V are held at the peak of its space: it is live there, or
  /// in memory that is held all the time.
  bool isHeldAtPeak(ValueId V) const;
  /// The largest of the others that is in the bytes of \p Place at a step at
  /// which \p V is live; invalid if there is none.
  ValueId inTheWay(ValueId V, ValueId Place) const;

  /// What reads \p V last, with its step; or why it is live to the end.
  std::string lastReader(ValueId V) const;
  /// The value that \p V is made of, the largest operand of its instruction;
  /// invalid if that is not known.
  ValueId largestOperand(ValueId V) const;

  const MemoryUse &Memory;
  const ValueNames &Names;
  const Facts &DumpFacts;
  const Dump &D;
  std::vector<ValueId> Ids;
  /// In the order of Ids: what they are known by in another compilation. All
  /// are of one kind, whatever memory they are in.
  std::vector<ComparedValue> Described;

private:
  ComparedValue describe(ValueId V, const ValueName &Called) const;

  std::vector<std::optional<StepRange>> Ranges;
  llvm::DenseMap<uint32_t, size_t> Numbers;
};

} // namespace hlobuf

#endif // HLOBUF_COMPARE_LARGEVALUES_H
