// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA adds up the bytes of the elements of each live value, one by one, in all
// memory spaces (xla/hlo/utils/hlo_live_range.cc, 2020;
// xla/service/buffer_assignment.cc, ToVerboseString, 2023).

#include "Memory/ByteSpans.h"
#include "Memory/MemorySummary.h"
#include <map>

using namespace hlobuf;

namespace {
/// What the list says of the values of the main memory space.
struct ListedBytes {
  uint64_t Stated = 0;
  /// As placed, each value with its own.
  uint64_t Placed = 0;
  /// As placed, each byte once: in arguments, constants and results, and in
  /// temps those that are live, and those that were live one step before.
  uint64_t Resident = 0;
  uint64_t LiveTemp = 0;
  uint64_t DeadTemp = 0;
  /// Of values in other memory spaces.
  uint64_t Elsewhere = 0;
};
} // namespace

/// Nothing if some row is not a value of the dump.
static std::optional<ListedBytes> addUp(const MemoryUse &Memory) {
  const Dump &D = Memory.facts().dump();
  ListedBytes Sum;
  std::map<AllocationId, DisjointSpans> Spans;
  std::vector<std::pair<ValueId, bool>> Values;
  Values.reserve(D.Peak.size());
  for (const PeakRow &Row : D.Peak) {
    ValueId V = Memory.facts().findValue(Row.Name, Row.Index);
    if (!V)
      return std::nullopt;
    Values.emplace_back(V, Memory.isLiveAt(V, D.PeakStep));
  }
  for (bool Live : {true, false})
    for (const auto &[I, Row] : llvm::enumerate(D.Peak)) {
      auto [V, IsLive] = Values[I];
      if (IsLive != Live)
        continue;
      const Allocation &Alloc = D[D[V].Owner];
      if (Alloc.color() != 0 || Alloc.ThreadLocal) {
        Sum.Elsewhere += Row.Bytes;
        continue;
      }
      ByteSpan Bytes = spanOf(Alloc, D[V]);
      Sum.Stated += Row.Bytes;
      Sum.Placed += Bytes.size();
      uint64_t &Part = kindOf(Alloc) != MemoryKind::Temp ? Sum.Resident
                       : Live                            ? Sum.LiveTemp
                                                         : Sum.DeadTemp;
      if (!Bytes.empty())
        Part += Spans[D[V].Owner].insert(Bytes);
    }
  return Sum;
}

/// Adds the difference between what is counted, \p Counted, and what is there.
static void add(StatedPeak &Out, const char *IfMore, const char *IfLess,
                uint64_t Counted, uint64_t Expected) {
  if (Counted > Expected)
    Out.More.emplace_back(IfMore, Counted - Expected);
  else if (Expected > Counted)
    Out.Less.emplace_back(IfLess, Expected - Counted);
}

std::optional<StatedPeak> hlobuf::explainStatedPeak(const MemoryUse &Memory) {
  const Dump &D = Memory.facts().dump();
  const SpaceUse *Main = Memory.space(0);
  if (!D.complete(Section::Peak) || D.UnboundedPeak || !Main)
    return std::nullopt;
  StatedPeak Out;
  Out.Step = D.PeakStep;
  for (const PeakRow &Row : D.Peak)
    Out.Bytes += Row.Bytes;
  std::optional<ListedBytes> Sum = addUp(Memory);
  if (!Sum || Memory.times() != TimeSource::Dump || Out.Step < 0 ||
      Out.Step > Memory.steps())
    return Out;
  Out.HeldBytes = Main->heldAt(Out.Step);
  uint64_t Covered = Sum->Resident + Sum->LiveTemp + Sum->DeadTemp;
  add(Out, "values of other memory spaces", "", Sum->Elsewhere, 0);
  add(Out, "bytes that values share, once for each", "", Sum->Placed, Covered);
  add(Out, "more than is placed", "padding", Sum->Stated, Sum->Placed);
  add(Out, "values that were read last at the step before", "", Sum->DeadTemp,
      0);
  add(Out, "", "arguments and results while they are not live", Sum->Resident,
      Main->Resident);
  add(Out, "", "other live values", Sum->LiveTemp,
      *Out.HeldBytes - Main->Resident);
  auto BySize = [](const auto &X, const auto &Y) {
    return X.second > Y.second;
  };
  llvm::stable_sort(Out.More, BySize);
  llvm::stable_sort(Out.Less, BySize);
  return Out;
}
