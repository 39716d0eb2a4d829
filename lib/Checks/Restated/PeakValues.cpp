// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// I02: BufferAssigner keeps, for each allocation, the values that are alive
// when its trace holds the most bytes (ComputePeakMemoryLogicalBuffers in
// xla/service/buffer_assignment.cc, 2026). They are values of that allocation,
// and take as many bytes as the trace at its largest moment. Where several runs
// of the simulator filled an allocation, or values were added later, the list
// is joined from parts. Vector memory of TPU as in heap-trace. Outside temps
// values are one after the other, and the list is the largest of them. Every
// allocation has a list, in their order (BufferAssignment::ToProto).

#include "Checks/Check.h"
#include "Facts/Sizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
/// Compares each list with its trace.
class PeakLists {
public:
  PeakLists(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), D(Ctx.dump()), Diags(Diags) {}

  void run();

private:
  /// What the traces say about one allocation.
  struct Moment {
    unsigned Traces = 0;
    size_t Values = 0;
    uint64_t Most = 0;
    /// The line of the trace.
    uint32_t Line = 0;
  };
  void readTrace(const HeapTrace &Trace);
  bool isInOrder(size_t Number);
  std::optional<uint64_t> bytes(const PeakValueList &List, AllocationId Id);
  void compare(const PeakValueList &List, AllocationId Id);

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  llvm::DenseMap<uint32_t, ValueId> ById;
  std::vector<Moment> Moments;
};
} // namespace

/// Replays \p Trace: shared bytes count once (HeapSimulatorTrace).
void PeakLists::readTrace(const HeapTrace &Trace) {
  llvm::DenseMap<uint32_t, int64_t> Holders;
  llvm::DenseMap<uint32_t, std::pair<uint32_t, uint64_t>> Taken;
  uint64_t Now = 0;
  std::optional<AllocationId> Owner;
  Moment Found{1, 0, 0, Trace.Line};
  for (uint32_t I = Trace.Events.Begin; I != Trace.Events.End; ++I) {
    const HeapEvent &E = D.HeapEvents[I];
    auto Known = ById.find(E.Value);
    if (Known == ById.end())
      continue;
    const Value &V = D[Known->second];
    if (!Owner)
      Owner = V.Owner;
    if (*Owner != V.Owner)
      return; // size limits sent values elsewhere
    if (E.What == HeapEvent::Kind::Free) {
      auto [Canonical, Bytes] = Taken.lookup(E.Value);
      --Holders[Canonical];
      Now -= std::min(Now, Bytes);
      continue;
    }
    bool Shares = E.What == HeapEvent::Kind::Share;
    uint32_t Canonical = Shares ? E.With : E.Value;
    bool First = ++Holders[Canonical] == 1 || !Shares;
    Found.Values += Taken.try_emplace(E.Value, Canonical, 0).second;
    Taken[E.Value] = {Canonical, First ? V.Size : 0};
    Now += First ? V.Size : 0;
    Found.Most = std::max(Found.Most, Now);
  }
  if (!Owner)
    return;
  Moment &All = Moments[Owner->index()];
  Found.Traces = All.Traces + 1;
  All = Found;
}

bool PeakLists::isInOrder(size_t Number) {
  const PeakValueList &List = D.PeakValueLists[Number];
  llvm::StringRef Where = Ctx.places().traceLine(List.Line);
  if (Number >= D.Allocations.size()) {
    Diags.report(Where,
                 "allocation {} has values at its peak, but there are only {} "
                 "allocations",
                 List.Allocation, D.Allocations.size());
    return false;
  }
  uint32_t Expected = D.Allocations[Number].Index;
  if (Expected == List.Allocation)
    return true;
  Diags
      .report(Where,
              "allocation {} has values at its peak, expected those of "
              "allocation {} next",
              List.Allocation, Expected)
      .about(AllocationId(Number));
  return false;
}

/// Bytes of all values of \p List; nothing if one is not in \p Id, which is
/// reported.
std::optional<uint64_t> PeakLists::bytes(const PeakValueList &List,
                                         AllocationId Id) {
  uint64_t Sum = 0;
  llvm::DenseSet<uint32_t> Seen;
  for (uint32_t I = List.Values.Begin; I != List.Values.End; ++I) {
    const PeakValue &P = D.PeakValues[I];
    auto Found = ById.find(P.Value);
    bool Twice = !Seen.insert(P.Value).second;
    if (Found != ById.end() && D[Found->second].Owner == Id && !Twice) {
      Sum += D[Found->second].Size;
      continue;
    }
    Diags
        .report(Ctx.places().traceLine(P.Line),
                "value {} is at the peak of allocation {}{}", P.Value,
                List.Allocation, Twice ? " twice" : ", but is not in it")
        .about(Id);
    return std::nullopt;
  }
  return Sum;
}

void PeakLists::compare(const PeakValueList &List, AllocationId Id) {
  std::optional<uint64_t> Sum = bytes(List, Id);
  if (!Sum)
    return;
  const Allocation &Own = D[Id];
  const Moment &All = Moments[Id.index()];
  bool Moved = Ctx.isTPU() && isVectorMemory(Own.color());
  llvm::StringRef Where = Ctx.places().traceLine(
      List.Values.empty() ? List.Line : D.PeakValues[List.Values.Begin].Line);
  if (!Own.PreallocatedTemp) {
    uint64_t Largest = 0;
    for (uint32_t V = Own.Values.Begin; V != Own.Values.End; ++V)
      Largest = std::max(Largest, D.Values[V].Size);
    if (*Sum != Largest)
      Diags
          .report(Where,
                  "the values at the peak of allocation {} take {} bytes, "
                  "expected {}, the largest of its values",
                  List.Allocation, *Sum, Largest)
          .about(Id);
    return;
  }
  if (All.Traces != 1 || All.Values != Own.Values.size() || Moved) {
    Diags.exempt("joined-peak");
    return;
  }
  if (*Sum != All.Most)
    Diags
        .report(
            Where,
            "the values at the peak of allocation {} take {} bytes, expected "
            "{}, the most that its trace holds",
            List.Allocation, *Sum, All.Most)
        .note(Ctx.places().traceLine(All.Line), "the trace is here")
        .about(Id);
}

void PeakLists::run() {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  Moments.resize(D.Allocations.size());
  if (D.complete(Section::Traces))
    for (const HeapTrace &Trace : D.HeapTraces)
      readTrace(Trace);
  for (size_t I = 0; I != D.PeakValueLists.size(); ++I) {
    if (!isInOrder(I))
      return;
    compare(D.PeakValueLists[I], AllocationId(I));
  }
  if (D.PeakValueLists.size() < D.Allocations.size())
    Diags.report(
        Ctx.places().traceLine(D.PeakValueLists.back().Line),
        "allocation {} is the last one with values at its peak, expected "
        "all {}",
        D.PeakValueLists.back().Allocation, D.Allocations.size());
}

void hlobuf::checkPeakValues(const CheckContext &Ctx, Reporter &Diags) {
  PeakLists(Ctx, Diags).run();
}
