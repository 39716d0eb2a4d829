// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Overlap.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>
#include <set>

using namespace hlobuf;

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

static Pairs overlaps(llvm::ArrayRef<TimedBytes> Ranges) {
  Pairs Found;
  findOverlaps(Ranges, [&](uint32_t Later, uint32_t Earlier) {
    Found.emplace_back(Later, Earlier);
  });
  return Found;
}

static Pairs touching(llvm::ArrayRef<TimedBytes> Ranges) {
  Pairs Found;
  findTouching(Ranges, [&](uint32_t Ends, uint32_t Starts) {
    Found.emplace_back(Ends, Starts);
  });
  std::sort(Found.begin(), Found.end());
  return Found;
}

/// Bytes, steps; ids by position, each its own group.
struct Row {
  uint64_t Begin, End;
  int32_t First, Last;
};

static std::vector<TimedBytes> ranges(std::initializer_list<Row> Rows) {
  std::vector<TimedBytes> All;
  for (const Row &R : Rows) {
    uint32_t Id = static_cast<uint32_t>(All.size());
    All.push_back({R.Begin, R.End, R.First, R.Last, Id, Id});
  }
  return All;
}

TEST(Overlap, LiveTogether) {
  EXPECT_EQ(overlaps(ranges({{0, 16, 0, 5}, {8, 24, 2, 9}})), (Pairs{{1, 0}}));
  // The order of the list does not matter.
  EXPECT_EQ(overlaps(ranges({{8, 24, 2, 9}, {0, 16, 0, 5}})), (Pairs{{0, 1}}));
  // Starting together.
  EXPECT_EQ(overlaps(ranges({{0, 16, 3, 5}, {15, 24, 3, 9}})).size(), 1u);
}

TEST(Overlap, NeighborsAreDisjoint) {
  EXPECT_TRUE(overlaps(ranges({{0, 16, 0, 5}, {16, 24, 2, 9}})).empty());
  EXPECT_TRUE(overlaps(ranges({{16, 24, 0, 5}, {0, 16, 2, 9}})).empty());
}

TEST(Overlap, TouchingRangesDoNotOverlap) {
  EXPECT_TRUE(overlaps(ranges({{0, 16, 0, 5}, {8, 24, 5, 9}})).empty());
}

TEST(Overlap, DeadInsideLive) {
  EXPECT_EQ(overlaps(ranges({{0, 16, 0, 5}, {8, 24, 3, 3}})), (Pairs{{1, 0}}));
  // Not at either end, and not against each other.
  EXPECT_TRUE(overlaps(ranges({{0, 16, 0, 5}, {8, 24, 0, 0}})).empty());
  EXPECT_TRUE(overlaps(ranges({{0, 16, 0, 5}, {8, 24, 5, 5}})).empty());
  EXPECT_TRUE(overlaps(ranges({{0, 16, 4, 4}, {8, 24, 4, 4}})).empty());
}

TEST(Overlap, NothingWithoutBytesOrSteps) {
  EXPECT_TRUE(overlaps(ranges({{8, 8, 0, 5}, {0, 16, 2, 9}})).empty());
  EXPECT_TRUE(overlaps(ranges({{9, 3, 0, 5}, {0, 16, 2, 9}})).empty());
  EXPECT_TRUE(overlaps(ranges({{0, 16, 5, 0}, {0, 16, 2, 9}})).empty());
  EXPECT_TRUE(overlaps({}).empty());
}

TEST(Overlap, PlacesAreFreedInTime) {
  std::vector<TimedBytes> Chain;
  for (uint32_t I = 0; I != 1000; ++I)
    Chain.push_back({0, 64, int32_t(I), int32_t(I + 1), I, I});
  EXPECT_TRUE(overlaps(Chain).empty());
  EXPECT_EQ(touching(Chain).size(), 999u);
}

TEST(Overlap, OnePartnerEach) {
  // All in one place: every one but the first is reported, once.
  std::vector<TimedBytes> Heap;
  for (uint32_t I = 0; I != 1000; ++I)
    Heap.push_back({0, 64, int32_t(I), 2000, I, I});
  EXPECT_EQ(overlaps(Heap).size(), 999u);
}

TEST(Overlap, GroupsHideNobody) {
  // 0 and 1 are of one instruction and share a place; 0 ends first, 2 meets 1.
  auto R = ranges({{0, 16, 1, 2}, {0, 16, 1, 5}, {0, 16, 3, 5}});
  R[1].Group = R[0].Group;
  EXPECT_EQ(overlaps(R), (Pairs{{2, 1}}));
  // The longest is in the same group as the one that starts.
  R = ranges({{0, 16, 1, 9}, {0, 8, 1, 4}, {0, 16, 2, 5}});
  R[2].Group = R[0].Group;
  EXPECT_EQ(overlaps(R), (Pairs{{1, 0}, {2, 1}}));
}

TEST(Touching, GroupsHideNobody) {
  // 0 and 1 are of one instruction; 2 starts over 1 only.
  auto R = ranges({{0, 8, 1, 5}, {0, 16, 1, 5}, {8, 24, 5, 9}});
  R[1].Group = R[0].Group;
  EXPECT_EQ(touching(R), (Pairs{{1, 2}}));
}

TEST(Touching, SameStepOnly) {
  auto R = ranges({{0, 16, 0, 5}, {0, 16, 5, 9}, {8, 24, 6, 9}});
  EXPECT_EQ(touching(R), (Pairs{{0, 1}}));
}

TEST(Touching, DeadOnesEndAndStart) {
  // 1 takes over from 0 and dies at once; 2 starts there at the same step.
  auto R = ranges({{0, 16, 0, 5}, {0, 16, 5, 5}, {0, 8, 5, 9}});
  EXPECT_EQ(touching(R), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(Touching, GroupsAreNotPaired) {
  auto R = ranges({{0, 16, 5, 5}, {0, 8, 5, 9}});
  R[1].Group = R[0].Group;
  EXPECT_TRUE(touching(R).empty());
}

/// Few bytes and steps, so that much meets.
static std::vector<TimedBytes> randomRanges(std::mt19937 &Random,
                                            uint32_t Count) {
  auto Below = [&](uint32_t N) {
    return std::uniform_int_distribution<uint32_t>(0, N - 1)(Random);
  };
  uint32_t Bytes = 2 + Below(60), Steps = 1 + Below(40);
  std::vector<TimedBytes> All;
  for (uint32_t I = 0; I != Count; ++I) {
    uint64_t Begin = Below(Bytes);
    int32_t First = int32_t(Below(Steps));
    All.push_back({Begin, Begin + Below(8), First, First + int32_t(Below(6)), I,
                   Below(Count)});
  }
  return All;
}

static bool overlap(const TimedBytes &A, const TimedBytes &B) {
  if (A.Group == B.Group || !A.sharesByte(B) || A.Begin >= A.End ||
      B.Begin >= B.End)
    return false;
  if (std::max(A.First, B.First) < std::min(A.Last, B.Last))
    return true;
  return (A.dead() && B.First < A.First && A.First < B.Last) ||
         (B.dead() && A.First < B.First && B.First < A.Last);
}

TEST(Overlap, AgreesWithAllPairs) {
  std::mt19937 Random(240);
  for (unsigned Round = 0; Round != 3000; ++Round) {
    auto All = randomRanges(Random, 1 + Round % 40);
    Pairs Found = overlaps(All);
    std::set<uint32_t> Reported;
    for (auto [Later, Earlier] : Found) {
      EXPECT_TRUE(overlap(All[Later], All[Earlier])) << "round " << Round;
      EXPECT_LE(All[Earlier].First, All[Later].First) << "round " << Round;
      EXPECT_TRUE(Reported.insert(Later).second) << "round " << Round;
    }
    for (uint32_t I = 0; I != All.size(); ++I)
      for (uint32_t J = 0; J != I; ++J)
        EXPECT_TRUE(!overlap(All[I], All[J]) || Reported.count(I) ||
                    Reported.count(J))
            << "round " << Round << ": " << I << ", " << J;
  }
}

static bool touch(const TimedBytes &Ending, const TimedBytes &Starting) {
  return Ending.Last == Starting.First && Ending.sharesByte(Starting) &&
         Ending.Begin < Ending.End && Starting.Begin < Starting.End &&
         Ending.Id != Starting.Id && Ending.Group != Starting.Group;
}

TEST(Touching, AgreesWithAllPairs) {
  std::mt19937 Random(37);
  for (unsigned Round = 0; Round != 3000; ++Round) {
    auto All = randomRanges(Random, 1 + Round % 40);
    // Keep what does not overlap, as in a sound dump.
    for (auto [Later, Earlier] : overlaps(All))
      All[Later].End = All[Later].Begin;
    std::erase_if(All, [&](const TimedBytes &E) {
      return std::any_of(All.begin(), All.end(), [&](const auto &F) {
        return F.Id < E.Id && F.Last == E.Last && F.sharesByte(E);
      });
    });
    Pairs Wanted;
    for (const TimedBytes &E : All)
      for (const TimedBytes &S : All)
        if (touch(E, S))
          Wanted.emplace_back(E.Id, S.Id);
    std::sort(Wanted.begin(), Wanted.end());
    Pairs Found = touching(All);
    // Ranges are at most 7 bytes long; 4 partners may be too few for them.
    EXPECT_TRUE(
        std::includes(Wanted.begin(), Wanted.end(), Found.begin(), Found.end()))
        << "round " << Round;
    for (const TimedBytes &S : All) {
      auto Has = [&](const Pairs &P) {
        return std::count_if(P.begin(), P.end(), [&](const auto &Pair) {
          return Pair.second == S.Id;
        });
      };
      EXPECT_EQ(Has(Found) > 0, Has(Wanted) > 0) << "round " << Round;
    }
  }
}
