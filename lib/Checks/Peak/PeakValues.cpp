//===- Checks/Peak/PeakValues.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// I02: BufferAssigner keeps, for each allocation, the values that are alive
// when its trace holds the most bytes (ComputePeakMemoryLogicalBuffers in
// xla/service/buffer_assignment.cc, 2026). They are values of that allocation,
// and take as many bytes as the trace at its largest moment. Where several runs
// of the simulator filled an allocation, or values were added later, the list
// is joined from parts. Color 1 of TPU as in heap-trace.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

using namespace hlobuf;

namespace {
/// Compares each list with its trace.
class PeakLists {
public:
  PeakLists(const CheckContext &A, Reporter &R) : A(A), D(A.dump()), R(R) {}

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
  void readTrace(const HeapTrace &T);
  void compare(uint32_t Allocation, llvm::ArrayRef<PeakValue> List);

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  llvm::DenseMap<uint32_t, ValueId> ById;
  /// Any number may be printed.
  std::map<uint32_t, uint32_t> ByIndex;
  std::vector<Moment> Moments;
};
} // namespace

/// Replays \p T: shared bytes count once (HeapSimulatorTrace).
void PeakLists::readTrace(const HeapTrace &T) {
  llvm::DenseMap<uint32_t, int64_t> Holders;
  llvm::DenseMap<uint32_t, std::pair<uint32_t, uint64_t>> Taken;
  uint64_t Now = 0;
  std::optional<AllocationId> Owner;
  Moment Found{1, 0, 0, T.Line};
  for (uint32_t I = T.Events.Begin; I != T.Events.End; ++I) {
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

void PeakLists::compare(uint32_t Allocation, llvm::ArrayRef<PeakValue> List) {
  llvm::StringRef Where = A.places().traceLine(List.front().Line);
  auto Known = ByIndex.find(Allocation);
  if (Known == ByIndex.end()) {
    R.report(Where,
             "allocation {} has values at its peak, but there is no such "
             "allocation",
             Allocation);
    return;
  }
  AllocationId Id(Known->second);
  uint64_t Sum = 0;
  for (const PeakValue &P : List) {
    auto Found = ById.find(P.Value);
    if (Found == ById.end() || D[Found->second].Owner != Id) {
      R.report(A.places().traceLine(P.Line),
               "value {} is at the peak of allocation {}, but is not in it",
               P.Value, Allocation)
          .about(Id);
      return;
    }
    Sum += D[Found->second].Size;
  }
  const Moment &Own = Moments[Known->second];
  bool Moved = A.isTPU() && D[Id].color() == 1;
  if (Own.Traces != 1 || Own.Values != D[Id].Values.size() || Moved) {
    R.exempt("joined-peak");
    return;
  }
  if (Sum != Own.Most)
    R.report(Where,
             "the values at the peak of allocation {} take {} bytes, expected "
             "{}, the most that its trace holds",
             Allocation, Sum, Own.Most)
        .note(A.places().traceLine(Own.Line), "the trace is here")
        .about(Id);
}

void PeakLists::run() {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    ByIndex.try_emplace(D.Allocations[I].Index, static_cast<uint32_t>(I));
  Moments.resize(D.Allocations.size());
  for (const HeapTrace &T : D.HeapTraces)
    readTrace(T);
  llvm::ArrayRef<PeakValue> Rest = D.PeakValues;
  while (!Rest.empty()) {
    uint32_t Allocation = Rest.front().Allocation;
    auto List = Rest.take_while(
        [&](const PeakValue &P) { return P.Allocation == Allocation; });
    compare(Allocation, List);
    Rest = Rest.drop_front(List.size());
  }
}

namespace hlobuf {
void checkPeakValues(const CheckContext &A, Reporter &R) {
  PeakLists(A, R).run();
}
} // namespace hlobuf
