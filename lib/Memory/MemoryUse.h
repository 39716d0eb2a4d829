// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes over time.
//
// How many bytes of each memory space a program holds at each step, and which
// values they belong to. Allocations of parameters, constants and results are
// held from the first step to the last, whole: the runtime gives their bytes to
// nobody else. Of temp allocations the bytes count in which some value is live.
// A byte counts once, however many values share it. Thread-local allocations
// are on the stack of a kernel, and are left out.
//
// So an allocation sum is the peak plus what temps have beyond their most live
// bytes: what fragmentation costs.

#ifndef HLOBUF_MEMORY_MEMORYUSE_H
#define HLOBUF_MEMORY_MEMORYUSE_H

#include "Memory/ByteSpans.h"
#include "Memory/MemoryKind.h"
#include "Support/Lazy.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

class ModuleAnalysis;

/// What the module implies, asked for only where the dump states no live
/// ranges; null without a module.
using ModuleAnalysisFn = function_ref<const ModuleAnalysis *()>;

/// Where live ranges come from.
enum class TimeSource : uint8_t { Unknown, Dump, Module };

/// One memory space, all sizes in bytes as placed.
struct SpaceTotals {
  int32_t Color = 0;
  /// As spaceName() spells it.
  std::string Name;
  /// The sum of the sizes of its allocations but thread-local ones: what the
  /// program needs to run.
  uint64_t Allocated = 0;
  /// The part of Allocated that is not in temps: held at every step.
  uint64_t Resident = 0;
  /// The first step with the most held bytes, 0 where times are not known.
  int32_t PeakStep = 0;
  /// Bytes held there; Resident where times are not known.
  uint64_t Peak = 0;
};

/// A memory space over time.
struct SpaceUse : SpaceTotals {
  /// By step, closed: [0, T]. Live bytes of temps; empty where there are none,
  /// or times are not known.
  std::vector<uint64_t> LiveTemp;

  /// Bytes held at \p Step.
  uint64_t heldAt(int32_t Step) const {
    size_t I = static_cast<size_t>(Step);
    return Resident + (I < LiveTemp.size() ? LiveTemp[I] : 0);
  }
};

/// Bytes of one allocation that are held at a step, and whose they are.
struct HeldValue {
  /// Whose the bytes are. Of an argument its own value, of a result the one
  /// that is returned, whatever is in its memory at that step; in temps, of
  /// those that are live there and share the bytes, one with a source line, and
  /// no phi.
  ValueId Value;
  MemoryKind Kind = MemoryKind::Temp;
  /// The bytes that no HeldValue before it has.
  uint64_t Bytes = 0;
  /// Without padding, never more than Bytes.
  uint64_t Unpadded = 0;
  /// Of Bytes, those of an argument or a result in which nothing is live: the
  /// result is not written yet, or the argument is not read any more.
  uint64_t Idle = 0;
  /// Others that are live there and share the bytes of Value.
  SmallVector<ValueId, 1> Others = {};
};

/// Adds \p Bytes to \p Changes, which has an element more than steps, where
/// \p Range, closed, begins, and takes them off after its end. Steps that there
/// are not are left out.
void addChange(std::vector<uint64_t> &Changes, StepRange Range, uint64_t Bytes);

/// Bytes of temps that could be free in some steps, closed.
struct FreedBytes {
  StepRange Range;
  uint64_t Bytes = 0;
};

/// The bytes of \p V inside of its allocation \p Alloc, half-open.
ByteSpan spanOf(const Allocation &Alloc, const Value &V);

/// Built once for a dump, near linear in its values and steps.
class MemoryUse {
public:
  MemoryUse(const Facts &DumpFacts, ModuleAnalysisFn Module);

  const Facts &facts() const { return DumpFacts; }
  TimeSource times() const { return Times; }
  bool isTimed() const { return Times != TimeSource::Unknown; }
  /// Number of steps, called T.
  int32_t steps() const { return Steps; }
  /// The instruction of \p Step; empty for T.
  std::string instructionAt(int32_t Step) const;
  /// Its name, if it has one in the dump.
  NameId nameAt(int32_t Step) const;
  /// The step of instruction \p Name; -1 if it has none.
  int32_t stepOf(NameId Name) const;

  /// By color, each that some allocation has.
  ArrayRef<SpaceUse> spaces() const { return Spaces; }
  /// Null if no allocation has \p Color.
  const SpaceUse *space(int32_t Color) const;
  /// The steps, closed, in which \p V is live; nothing if that is not known.
  std::optional<StepRange> range(ValueId V) const;
  bool isLiveAt(ValueId V, int32_t Step) const;
  /// The instruction that reads \p V last; invalid if that is not known.
  NameId lastReader(ValueId V) const;
  MemoryKind kind(ValueId V) const { return kindOf(D[D[V].Owner]); }

  /// The values with bytes of \p Space, one of spaces(), at its peak, the most
  /// bytes first; computed once. Their sum is Space.Peak. Without times: the
  /// allocations that are not temps.
  const std::vector<HeldValue> &heldAtPeak(const SpaceUse &Space) const;
  /// Adds to \p Changes, by step, by how much the bytes of \p Alloc change in
  /// which some value that \p Counts takes is live.
  void addLive(const Allocation &Alloc, function_ref<bool(ValueId)> Counts,
               std::vector<uint64_t> &Changes) const;

  /// By how many bytes the peak of \p Space falls without \p Freed, as far as
  /// live ranges show it. Costs a walk over all steps.
  uint64_t savedWithout(const SpaceUse &Space,
                        ArrayRef<FreedBytes> Freed) const;

  /// The most bytes that are live at one step in temps of the main space
  /// without the values \p Gone, and with \p Added. Costs a walk over all
  /// values.
  uint64_t mostLive(const DenseSet<uint32_t> &Gone,
                    const DenseSet<uint32_t> &Added) const;

private:
  void findTimes(ModuleAnalysisFn Module);
  void addSpaces();
  SpaceUse &spaceOf(int32_t Color);
  ValueId ownerOf(const Allocation &Alloc) const;
  std::vector<ValueId> liveValues(const Allocation &Alloc, int32_t Step) const;
  HeldValue resident(const Allocation &Alloc, int32_t Step) const;
  void addHeldTemp(const Allocation &Alloc, int32_t Step,
                   std::vector<HeldValue> &Out) const;
  bool isBetterName(ValueId V, ValueId Than) const;
  uint64_t unpaddedBytes(ValueId V) const;

  const Facts &DumpFacts;
  const Dump &D;
  /// What the module implies; null where it was not needed or is not known.
  const ModuleAnalysis *Analysis = nullptr;
  TimeSource Times = TimeSource::Unknown;
  int32_t Steps = 0;
  std::vector<SpaceUse> Spaces;
  /// By space.
  std::unique_ptr<Lazy<std::vector<HeldValue>>[]> AtPeak;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_MEMORYUSE_H
