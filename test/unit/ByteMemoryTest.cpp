// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by intervals is the same as one set for each byte.

#include "Proof/ByteMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <array>
#include <random>
#include <set>

using namespace hlobuf;
using namespace hlobuf::proof;
using Numbers = std::set<uint32_t>;

static std::vector<uint32_t> listed(const Numbers &All) {
  return {All.begin(), All.end()};
}

static Numbers membersOf(const NumberSets &Sets, uint32_t Set) {
  NumberSets::Members All = Sets.members(Set);
  EXPECT_TRUE(llvm::is_sorted(All));
  Numbers Found(All.begin(), All.end());
  EXPECT_EQ(Found.size(), All.size());
  return Found;
}

// Sets are what they were made of; equal ones have one number.
TEST(NumberSets, AreSets) {
  NumberSets Sets;
  EXPECT_EQ(Sets.get({}), NumberSets::Empty);
  EXPECT_EQ(Sets.get({7}), 7u);
  std::mt19937 Random(1);
  std::map<Numbers, uint32_t> Known;
  Numbers Now, Before;
  uint32_t Set = NumberSets::Empty, SetBefore = NumberSets::Empty;
  for (int Round = 0; Round != 3000; ++Round) {
    uint32_t Member = Random() % 5;
    if (Random() % 2) {
      Now.insert(Member);
      Set = Sets.with(Set, Member);
    } else {
      Now.erase(Member);
      Set = Sets.without(Set, Member);
    }
    EXPECT_EQ(membersOf(Sets, Set), Now);
    EXPECT_EQ(Sets.get(listed(Now)), Set);
    EXPECT_EQ(Known.try_emplace(Now, Set).first->second, Set);
    for (uint32_t Each = 0; Each != 6; ++Each)
      EXPECT_EQ(Sets.has(Set, Each), Now.count(Each) == 1);
    Numbers Both, Lost;
    for (uint32_t Each : Now)
      (Before.count(Each) ? Both : Lost).insert(Each);
    llvm::SmallVector<uint32_t, 4> NowLost;
    EXPECT_EQ(Sets.meet(Set, SetBefore, NowLost), Sets.get(listed(Both)));
    EXPECT_EQ(Numbers(NowLost.begin(), NowLost.end()), Lost);
    Before = Now;
    SetBefore = Set;
  }
  EXPECT_EQ(Known.size(), 32u);
}

namespace {
constexpr uint64_t Size = 8;
constexpr uint32_t Shared = 4; // Numbers below are of several values.

struct Byte {
  Numbers Holds;
  uint32_t Writer = ByteMemory::NoWriter;
  uint32_t Time = 0;
};
using Bytes = std::array<std::array<Byte, Size>, 2>;

/// A memory, and what each of its bytes must hold.
struct Pair {
  ByteMemory Memory{2};
  Bytes Model;

  template <typename VisitFn> void each(const BytePlace &At, VisitFn Visit) {
    for (uint64_t B = At.Begin; B != At.End; ++B)
      Visit(Model[At.Memory.index()][B], B);
  }
  void compare(const BytePlace &At, uint32_t Value, const NumberSets &Sets);
  void meet(Pair &Other, NumberSets &Sets);
};
} // namespace

void Pair::compare(const BytePlace &At, uint32_t Value,
                   const NumberSets &Sets) {
  Byte Last;
  Numbers Where, Found;
  each(At, [&](const Byte &B, uint64_t Number) {
    if (B.Holds.count(Value))
      Where.insert(Number);
    else if (B.Time > Last.Time)
      Last = B;
  });
  EXPECT_EQ(Memory.holds(At, Value, Sets), Where.size() == At.End - At.Begin);
  EXPECT_EQ(Memory.writerOver(At, Value, Sets), Last.Writer);
  for (const BytePlace &Run : Memory.where(At, Value, Sets)) {
    EXPECT_EQ(Run.Memory, At.Memory);
    EXPECT_LT(Run.Begin, Run.End);
    for (uint64_t B = Run.Begin; B < Run.End; ++B)
      EXPECT_TRUE(Found.insert(B).second);
  }
  EXPECT_EQ(Found, Where);
}

/// Of two writers the one that lost something counts, else the later one.
void Pair::meet(Pair &Other, NumberSets &Sets) {
  Numbers Lost;
  for (auto [Mine, Theirs] : llvm::zip(Model, Other.Model))
    for (auto [M, T] : llvm::zip(Mine, Theirs)) {
      Numbers Both;
      for (uint32_t Each : M.Holds)
        (T.Holds.count(Each) ? Both : Lost).insert(Each);
      bool Keeps = Both != T.Holds && (Both == M.Holds || M.Time > T.Time);
      if (!Keeps)
        M = T;
      M.Holds = Both;
    }
  llvm::SmallVector<uint32_t, 4> Found;
  Memory.meet(Other.Memory, Sets, Found);
  EXPECT_EQ(Numbers(Found.begin(), Found.end()), Lost);
}

TEST(ByteMemory, IsASetForEachByte) {
  for (uint32_t Seed = 0; Seed != 40; ++Seed) {
    std::mt19937 Random(Seed);
    NumberSets Sets;
    std::array<Pair, 3> All;
    uint32_t Fresh = Shared;
    auto Place = [&] {
      uint64_t A = Random() % (Size + 1), B = Random() % (Size + 1);
      return BytePlace{AllocationId(Random() % 2), std::min(A, B),
                       std::max(A, B)};
    };
    for (int Round = 0; Round != 60; ++Round) {
      Pair &P = All[Random() % 3], &Other = All[Random() % 3];
      BytePlace At = Place();
      uint32_t Value = Random() % Shared, Writer = Fresh++;
      switch (Random() % 8) {
      case 0:
        P.meet(Other, Sets);
        break;
      case 1:
        P = Other;
        break;
      case 2:
      case 3:
        P.Memory.write(At, Writer, Sets);
        P.each(At, [&](Byte &B, uint64_t) { B = {{Writer}, Writer, Writer}; });
        break;
      case 4:
        P.Memory.change(At,
                        [&](uint32_t Set) { return Sets.without(Set, Value); });
        P.each(At, [&](Byte &B, uint64_t) { B.Holds.erase(Value); });
        break;
      default:
        P.Memory.change(At,
                        [&](uint32_t Set) { return Sets.with(Set, Value); });
        P.each(At, [&](Byte &B, uint64_t) { B.Holds.insert(Value); });
      }
      for (Pair &Each : All)
        for (uint32_t Asked : {Value, Writer})
          Each.compare(Place(), Asked, Sets);
    }
  }
}

// What has no place takes no byte, whatever is asked of it.
TEST(ByteMemory, NowhereIsNothing) {
  NumberSets Sets;
  ByteMemory Memory(1);
  BytePlace Nowhere;
  Memory.write(Nowhere, 1, Sets);
  Memory.change(Nowhere, [](uint32_t) -> uint32_t { return 1; });
  EXPECT_TRUE(Memory.all(Nowhere, [](uint32_t) { return false; }));
  EXPECT_EQ(Memory.writerOver(Nowhere, 1, Sets), ByteMemory::NoWriter);
  EXPECT_TRUE(Memory.where(Nowhere, 1, Sets).empty());
}
