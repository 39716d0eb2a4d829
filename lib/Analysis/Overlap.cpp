//===- Analysis/Overlap.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Overlap.h"
#include "llvm/ADT/IntervalMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <tuple>

using namespace hlobuf;
using llvm::ArrayRef;

using Order = std::vector<uint32_t>;

/// The numbers of all ranges with bytes and steps, sorted by \p Key.
template <typename KeyFn>
static Order sorted(ArrayRef<TimedBytes> Ranges, KeyFn Key) {
  Order Numbers;
  Numbers.reserve(Ranges.size());
  for (uint32_t I = 0; I != Ranges.size(); ++I)
    if (Ranges[I].Begin < Ranges[I].End && Ranges[I].First <= Ranges[I].Last)
      Numbers.push_back(I);
  llvm::sort(Numbers, [&](uint32_t A, uint32_t B) {
    return std::tuple_cat(Key(Ranges[A]), std::tuple(A)) <
           std::tuple_cat(Key(Ranges[B]), std::tuple(B));
  });
  return Numbers;
}

void hlobuf::findOverlaps(ArrayRef<TimedBytes> Ranges, OverlapFn Report) {
  // Ranges of a single step come first in their step: they do not meet those
  // that start with them.
  Order ByFirst = sorted(Ranges, [](const TimedBytes &R) {
    return std::tuple(R.First, !R.dead(), R.Begin);
  });
  Order ByLast =
      sorted(Ranges, [](const TimedBytes &R) { return std::tuple(R.Last); });

  // Disjoint, as a range that meets another is not entered.
  using ActiveMap = llvm::IntervalMap<uint64_t, uint32_t, 8,
                                      llvm::IntervalMapHalfOpenInfo<uint64_t>>;
  ActiveMap::Allocator Nodes;
  ActiveMap Active(Nodes);
  std::vector<bool> Entered(Ranges.size());
  auto Leaving = ByLast.begin();
  for (uint32_t I : ByFirst) {
    const TimedBytes &Now = Ranges[I];
    for (; Leaving != ByLast.end() && Ranges[*Leaving].Last <= Now.First;
         ++Leaving)
      if (Entered[*Leaving])
        Active.find(Ranges[*Leaving].Begin).erase();
    auto There = Active.find(Now.Begin);
    if (There.valid() && There.start() < Now.End) {
      Report(Now.Id, Ranges[There.value()].Id);
    } else if (!Now.dead()) {
      Active.insert(Now.Begin, Now.End, I);
      Entered[I] = true;
    }
  }
}

/// Reports the pairs of one step. \p Ends are sorted by Begin.
static void findTouchingAt(ArrayRef<TimedBytes> Ending, ArrayRef<uint32_t> Ends,
                           ArrayRef<TimedBytes> Starting,
                           ArrayRef<uint32_t> Starts, OverlapFn Report) {
  constexpr size_t MaxPartners = 4;
  llvm::SmallVector<uint32_t, 16> Disjoint;
  for (uint32_t E : Ends)
    if (Disjoint.empty() || Ending[Disjoint.back()].End <= Ending[E].Begin)
      Disjoint.push_back(E);
  for (uint32_t S : Starts) {
    const TimedBytes &Now = Starting[S];
    ArrayRef<uint32_t> Rest = Disjoint;
    const auto *First = llvm::partition_point(
        Rest, [&](uint32_t E) { return Ending[E].End <= Now.Begin; });
    Rest = Rest.drop_front(static_cast<size_t>(First - Rest.begin()));
    for (uint32_t E : Rest.take_front(std::min(MaxPartners, Rest.size()))) {
      if (Ending[E].Begin >= Now.End)
        break;
      if (Ending[E].Id != Now.Id && Ending[E].Group != Now.Group)
        Report(Ending[E].Id, Now.Id);
    }
  }
}

void hlobuf::findTouching(ArrayRef<TimedBytes> Ending,
                          ArrayRef<TimedBytes> Starting, OverlapFn Report) {
  // Those of a single step are looked at on their own, as one may take over
  // the place of another that ends there.
  Order Ends = sorted(Ending, [](const TimedBytes &R) {
    return std::tuple(R.Last, R.dead(), R.Begin);
  });
  Order Starts = sorted(Starting, [](const TimedBytes &R) {
    return std::tuple(R.First, R.Begin);
  });
  ArrayRef<uint32_t> RestOfEnds = Ends;
  ArrayRef<uint32_t> RestOfStarts = Starts;
  while (!RestOfStarts.empty()) {
    int32_t Step = Starting[RestOfStarts.front()].First;
    RestOfEnds = RestOfEnds.drop_while(
        [&](uint32_t I) { return Ending[I].Last < Step; });
    auto EndsNow = RestOfEnds.take_while(
        [&](uint32_t I) { return Ending[I].Last == Step; });
    auto StartsNow = RestOfStarts.take_while(
        [&](uint32_t I) { return Starting[I].First == Step; });
    auto Lasting =
        EndsNow.take_while([&](uint32_t I) { return !Ending[I].dead(); });
    auto Dead = EndsNow.drop_front(Lasting.size());
    findTouchingAt(Ending, Lasting, Starting, StartsNow, Report);
    findTouchingAt(Ending, Dead, Starting, StartsNow, Report);
    RestOfEnds = RestOfEnds.drop_front(EndsNow.size());
    RestOfStarts = RestOfStarts.drop_front(StartsNow.size());
  }
}

void LastWriters::write(uint64_t Begin, uint64_t End, int32_t Step,
                        uint32_t Id) {
  if (Begin >= End)
    return;
  auto At = Pieces.upper_bound(Begin);
  if (At != Pieces.begin())
    --At;
  while (At != Pieces.end() && At->first < End) {
    auto [OldBegin, Old] = *At;
    if (Old.End <= Begin) {
      ++At;
      continue;
    }
    At = Pieces.erase(At);
    if (OldBegin < Begin)
      Pieces.insert({OldBegin, {Begin, Old.Step, Old.Id}});
    if (Old.End > End)
      At = Pieces.insert({End, Old}).first;
  }
  Pieces.insert({Begin, {End, Step, Id}});
}

std::optional<uint32_t>
LastWriters::findSince(uint64_t Begin, uint64_t End, int32_t Since,
                       llvm::function_ref<bool(uint32_t)> Counts) const {
  if (Begin >= End)
    return std::nullopt;
  auto At = Pieces.upper_bound(Begin);
  if (At != Pieces.begin())
    --At;
  const Write *Found = nullptr;
  for (; At != Pieces.end() && At->first < End; ++At) {
    const Write &W = At->second;
    if (W.End > Begin && W.Step >= Since && (!Found || W.Step > Found->Step) &&
        Counts(W.Id))
      Found = &W;
  }
  return Found ? std::optional(Found->Id) : std::nullopt;
}
