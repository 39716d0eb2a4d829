// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Overlap.h"
#include "llvm/ADT/IntervalMap.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace hlobuf;

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

/// In the order in which they start. Those of a single step come first in their
/// step: they do not meet those that start with them.
static Order byFirst(ArrayRef<TimedBytes> Ranges) {
  return sorted(Ranges, [](const TimedBytes &Bytes) {
    return std::tuple(Bytes.First, !Bytes.dead(), Bytes.Begin);
  });
}

/// True if no two ranges meet, whatever their groups: the usual case, found
/// without a tree over all bytes.
static bool nothingMeets(ArrayRef<TimedBytes> Ranges, const Order &ByFirst) {
  Order ByLast = sorted(
      Ranges, [](const TimedBytes &Bytes) { return std::tuple(Bytes.Last); });
  using ActiveMap = llvm::IntervalMap<uint64_t, uint32_t, 8,
                                      llvm::IntervalMapHalfOpenInfo<uint64_t>>;
  ActiveMap::Allocator Nodes;
  ActiveMap Active(Nodes);
  auto Leaving = ByLast.begin();
  for (uint32_t I : ByFirst) {
    const TimedBytes &Current = Ranges[I];
    // Those that last a single step were never entered.
    for (; Leaving != ByLast.end() && Ranges[*Leaving].Last <= Current.First;
         ++Leaving)
      if (!Ranges[*Leaving].dead())
        Active.find(Ranges[*Leaving].Begin).erase();
    auto Next = Active.find(Current.Begin);
    if (Next.valid() && Next.start() < Current.End)
      return false;
    if (!Current.dead())
      Active.insert(Current.Begin, Current.End, I);
  }
  return true;
}

namespace {
/// Of the ranges entered so far that share some bytes, the one that ends last,
/// and the one of another group that ends last.
struct LongestTwo {
  static constexpr uint32_t None = ~0u;
  uint32_t First = None;
  uint32_t Second = None;

  void add(ArrayRef<TimedBytes> Ranges, uint32_t I) {
    if (I == None || I == First || I == Second)
      return;
    auto EndsAfter = [&](uint32_t Other) {
      return Other == None || Ranges[I].Last > Ranges[Other].Last;
    };
    if (EndsAfter(First)) {
      if (First != None && Ranges[First].Group != Ranges[I].Group)
        Second = First;
      First = I;
    } else if (Ranges[I].Group != Ranges[First].Group && EndsAfter(Second)) {
      Second = I;
    }
  }
  void add(ArrayRef<TimedBytes> Ranges, const LongestTwo &Other) {
    add(Ranges, Other.First);
    add(Ranges, Other.Second);
  }
};

/// A segment tree over the bytes between the ends of all ranges. Nothing is
/// removed again: what has ended is found by its last step.
class LongestHolders {
public:
  explicit LongestHolders(ArrayRef<TimedBytes> Ranges) : Ranges(Ranges) {
    for (const TimedBytes &Bytes : Ranges)
      if (Bytes.Begin < Bytes.End)
        Bounds.insert(Bounds.end(), {Bytes.Begin, Bytes.End});
    llvm::sort(Bounds);
    Bounds.erase(std::unique(Bounds.begin(), Bounds.end()), Bounds.end());
    Covering.resize(4 * Bounds.size());
    Touching.resize(4 * Bounds.size());
  }

  void enter(uint32_t I) { visit(Ranges[I], 1, 0, leaves(), I, nullptr); }

  /// The longest of another group than that of range \p I that shares a byte
  /// with it; None if there is none.
  uint32_t find(uint32_t I) {
    LongestTwo Longest;
    visit(Ranges[I], 1, 0, leaves(), LongestTwo::None, &Longest);
    return Longest.First != LongestTwo::None &&
                   Ranges[Longest.First].Group == Ranges[I].Group
               ? Longest.Second
               : Longest.First;
  }

private:
  size_t leaves() const { return Bounds.size() - 1; }
  void visit(const TimedBytes &Bytes, size_t Node, size_t From, size_t To,
             uint32_t Entered, LongestTwo *Longest);

  ArrayRef<TimedBytes> Ranges;
  std::vector<uint64_t> Bounds;
  /// By node: of those that hold all its bytes, and of those that were entered
  /// at it or below.
  std::vector<LongestTwo> Covering;
  std::vector<LongestTwo> Touching;
};
} // namespace

/// Walks to the nodes that make up \p Bytes below \p Node, which stands for the
/// bytes between bounds \p From and \p To.
void LongestHolders::visit(const TimedBytes &Bytes, size_t Node, size_t From,
                           size_t To, uint32_t Entered, LongestTwo *Longest) {
  if (Bytes.End <= Bounds[From] || Bounds[To] <= Bytes.Begin)
    return;
  bool Whole = Bytes.Begin <= Bounds[From] && Bounds[To] <= Bytes.End;
  if (Longest) {
    Longest->add(Ranges, Whole ? Touching[Node] : Covering[Node]);
  } else {
    Touching[Node].add(Ranges, Entered);
    if (Whole)
      Covering[Node].add(Ranges, Entered);
  }
  if (Whole)
    return;
  size_t Middle = From + (To - From) / 2;
  visit(Bytes, 2 * Node, From, Middle, Entered, Longest);
  visit(Bytes, 2 * Node + 1, Middle, To, Entered, Longest);
}

void hlobuf::findOverlaps(ArrayRef<TimedBytes> Ranges, OverlapFn Report) {
  Order ByFirst = byFirst(Ranges);
  if (nothingMeets(Ranges, ByFirst))
    return;
  LongestHolders Holders(Ranges);
  for (uint32_t I : ByFirst) {
    uint32_t Holder = Holders.find(I);
    if (Holder != LongestTwo::None && Ranges[Holder].Last > Ranges[I].First)
      Report(Ranges[I].Id, Ranges[Holder].Id);
    if (!Ranges[I].dead())
      Holders.enter(I);
  }
}

namespace {
/// Disjoint ranges, sorted.
struct Layer {
  Order Members;
  /// By member: the next one of another group.
  Order NextOther;
};
} // namespace

/// Splits \p Ends, sorted by Begin, into layers. Ranges of one instruction may
/// overlap; more than a few are an error that is reported elsewhere.
static SmallVector<Layer, 1> splitIntoLayers(ArrayRef<TimedBytes> Ending,
                                             ArrayRef<uint32_t> Ends) {
  constexpr size_t MaxLayers = 8;
  SmallVector<Layer, 1> Layers;
  for (uint32_t E : Ends) {
    auto *Free = llvm::find_if(Layers, [&](const Layer &L) {
      return Ending[L.Members.back()].End <= Ending[E].Begin;
    });
    if (Free != Layers.end())
      Free->Members.push_back(E);
    else if (Layers.size() != MaxLayers)
      Layers.push_back({{E}, {}});
  }
  for (Layer &L : Layers) {
    size_t Count = L.Members.size();
    L.NextOther.resize(Count);
    for (size_t I = Count; I-- != 0;) {
      bool Same = I + 1 != Count &&
                  Ending[L.Members[I]].Group == Ending[L.Members[I + 1]].Group;
      L.NextOther[I] = Same ? L.NextOther[I + 1] : static_cast<uint32_t>(I + 1);
    }
  }
  return Layers;
}

/// Reports \p Current with the first that share a byte with it.
static void reportTouching(ArrayRef<TimedBytes> Ending, const Layer &L,
                           const TimedBytes &Current, OverlapFn Report) {
  constexpr size_t MaxPartners = 4;
  const auto *First =
      llvm::partition_point(ArrayRef(L.Members), [&](uint32_t E) {
        return Ending[E].End <= Current.Begin;
      });
  auto Offset = static_cast<size_t>(First - L.Members.data());
  for (size_t Partners = 0; Offset != L.Members.size() &&
                            Ending[L.Members[Offset]].Begin < Current.End &&
                            Partners != MaxPartners;) {
    const TimedBytes &Then = Ending[L.Members[Offset]];
    if (Then.Group == Current.Group) {
      Offset = L.NextOther[Offset];
      continue;
    }
    if (Then.Id != Current.Id) {
      Report(Then.Id, Current.Id);
      ++Partners;
    }
    ++Offset;
  }
}

/// Reports the pairs of one step. \p Ends are sorted by Begin.
static void findTouchingAt(ArrayRef<TimedBytes> Ranges, ArrayRef<uint32_t> Ends,
                           ArrayRef<uint32_t> Starts, OverlapFn Report) {
  SmallVector<Layer, 1> Layers = splitIntoLayers(Ranges, Ends);
  for (uint32_t S : Starts)
    for (const Layer &L : Layers)
      reportTouching(Ranges, L, Ranges[S], Report);
}

void hlobuf::findTouching(ArrayRef<TimedBytes> Ranges, OverlapFn Report) {
  // Those of a single step are looked at on their own, as one may take over
  // the place of another that ends there.
  Order Ends = sorted(Ranges, [](const TimedBytes &Bytes) {
    return std::tuple(Bytes.Last, Bytes.dead(), Bytes.Begin);
  });
  Order Starts = sorted(Ranges, [](const TimedBytes &Bytes) {
    return std::tuple(Bytes.First, Bytes.Begin);
  });
  ArrayRef<uint32_t> RestOfEnds = Ends;
  ArrayRef<uint32_t> RestOfStarts = Starts;
  while (!RestOfStarts.empty()) {
    int32_t Step = Ranges[RestOfStarts.front()].First;
    RestOfEnds = RestOfEnds.drop_while(
        [&](uint32_t I) { return Ranges[I].Last < Step; });
    auto EndsNow = RestOfEnds.take_while(
        [&](uint32_t I) { return Ranges[I].Last == Step; });
    auto StartsNow = RestOfStarts.take_while(
        [&](uint32_t I) { return Ranges[I].First == Step; });
    auto Lasting =
        EndsNow.take_while([&](uint32_t I) { return !Ranges[I].dead(); });
    auto Dead = EndsNow.drop_front(Lasting.size());
    findTouchingAt(Ranges, Lasting, StartsNow, Report);
    findTouchingAt(Ranges, Dead, StartsNow, Report);
    RestOfEnds = RestOfEnds.drop_front(EndsNow.size());
    RestOfStarts = RestOfStarts.drop_front(StartsNow.size());
  }
}
