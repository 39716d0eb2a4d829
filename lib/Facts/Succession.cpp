//===- Facts/Succession.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/Succession.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::ArrayRef;

Succession::Succession(const Facts &A)
    : A(A), Gap(A.release().since(20220624) ? 0 : 1),
      ReachesEnd(A.dump().Values.size()), ReachesStart(A.dump().Values.size()),
      Rows(A.dump().Values.size()) {
  for (const Allocation &Alloc : A.dump().Allocations)
    if (!Alloc.PreallocatedTemp)
      addAllocation(Alloc);
}

void Succession::addAllocation(const Allocation &Alloc) {
  std::vector<Entry> Entries;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I)
    if (std::optional<StepRange> Range = A.range(ValueId(I)))
      Entries.push_back({ValueId(I), A.dump().Values[I].Offset, *Range});
  auto Key = [&](const Entry &E) {
    return std::tuple(E.Offset, E.Range.Start, E.Range.End,
                      A.dump()[E.V].Tag.Id);
  };
  llvm::sort(Entries,
             [&](const Entry &E, const Entry &F) { return Key(E) < Key(F); });
  for (ArrayRef<Entry> Rest = Entries; !Rest.empty();) {
    uint64_t Offset = Rest.front().Offset;
    ArrayRef<Entry> Same =
        Rest.take_while([&](const Entry &E) { return E.Offset == Offset; });
    addPlace(Same);
    Rest = Rest.drop_front(Same.size());
  }
}

/// \p Same is sorted by time.
void Succession::addPlace(ArrayRef<Entry> Same) {
  // By the step at which the next one may begin.
  llvm::DenseMap<int32_t, ValueId> Ended;
  for (const Entry &E : Same) {
    auto Before = Ended.find(E.Range.Start);
    bool Follows = Before != Ended.end();
    Rows[E.V.index()] = Follows ? Rows[Before->second.index()] : ++NumRows;
    ReachesStart[E.V.index()] =
        E.Range.Start == 0 || (Follows && ReachesStart[Before->second.index()]);
    Ended.try_emplace(E.Range.End, E.V);
    Ended.try_emplace(E.Range.End + Gap, E.V);
  }
  llvm::DenseSet<int32_t> Started;
  for (const Entry &E : llvm::reverse(Same)) {
    if (E.Range.End != A.steps() && !Started.contains(E.Range.End) &&
        !Started.contains(E.Range.End + Gap))
      continue;
    ReachesEnd[E.V.index()] = true;
    Started.insert(E.Range.Start);
  }
}
