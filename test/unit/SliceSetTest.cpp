// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of bytes of allocations.

#include "Thunks/SliceSet.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace hlobuf;

using Gaps = llvm::SmallVector<ByteSlice, 2>;

TEST(SliceSet, Empty) {
  EXPECT_FALSE(SliceSet().contains({0, 0, 8}));
  EXPECT_FALSE(SliceSet().isInOne({0, 0, 8}));
  EXPECT_FALSE(SliceSet().overlaps({0, 0, 8}));
  EXPECT_EQ(SliceSet().uncovered({0, 0, 8}), Gaps({{0, 0, 8}}));
  EXPECT_TRUE(SliceSet().covers({0, 4, 0}));
}

TEST(SliceSet, HalfOpen) {
  SliceSet S(ByteSlice{1, 8, 8});
  EXPECT_FALSE(S.overlaps({1, 0, 8}));
  EXPECT_TRUE(S.overlaps({1, 0, 9}));
  EXPECT_TRUE(S.overlaps({1, 15, 1}));
  EXPECT_FALSE(S.overlaps({1, 16, 1}));
  EXPECT_FALSE(S.overlaps({2, 8, 8}));
  EXPECT_TRUE(S.isInOne({1, 9, 7}));
  EXPECT_FALSE(S.isInOne({1, 9, 8}));
}

TEST(SliceSet, NeighborsCoverTogether) {
  SliceSet S({{0, 0, 8}, {0, 8, 8}, {0, 20, 4}});
  EXPECT_TRUE(S.covers({0, 4, 8}));
  EXPECT_FALSE(S.isInOne({0, 4, 8}));
  EXPECT_EQ(S.uncovered({0, 4, 30}), Gaps({{0, 16, 4}, {0, 24, 10}}));
}

TEST(SliceSet, Others) {
  SliceSet S({{0, 0, 8}, {0, 0, 8}, {0, 6, 1}});
  EXPECT_EQ(S.slices().size(), 2u);
  EXPECT_EQ(*S.overlappingOther({0, 0, 8}), (ByteSlice{0, 6, 1}));
  EXPECT_EQ(S.overlappingOther({0, 6, 1})->Size, 8);
  EXPECT_EQ(SliceSet(ByteSlice{0, 0, 8}).overlappingOther({0, 0, 8}), nullptr);
}

TEST(SliceSet, WithoutBytes) {
  SliceSet S(ByteSlice{0, 5, 0});
  EXPECT_TRUE(S.contains({0, 5, 0}));
  EXPECT_TRUE(S.isInOne({0, 5, 0}));
  EXPECT_FALSE(S.overlaps({0, 3, 8}));
  EXPECT_FALSE(S.overlaps({0, 5, 0}));
  EXPECT_FALSE(S.covers({0, 5, 1}));
}

TEST(SliceSet, OddNumbers) {
  SliceSet S({{0, -4, 8}, {0, 0, -1}, {-1, INT64_MAX - 2, INT64_MAX}});
  EXPECT_EQ(S.slices().size(), 1u);
  EXPECT_TRUE(S.overlaps({-1, INT64_MAX - 1, 1}));
  EXPECT_TRUE(S.isInOne({-1, INT64_MAX, 0}));
  EXPECT_FALSE(S.overlaps({-1, -4, 8}));
  EXPECT_FALSE(S.covers({-1, -4, 8}));
}

TEST(SliceSet, AgreesWithBytes) {
  std::mt19937 Random(1);
  auto Any = [&] {
    auto Up = [&](unsigned To) { return static_cast<int64_t>(Random() % To); };
    return ByteSlice{Up(2), Up(40), Up(12)};
  };
  auto Has = [](const ByteSlice &S, const ByteSlice &At, int64_t Byte) {
    return S.Allocation == At.Allocation && Byte >= S.Offset &&
           Byte < S.Offset + S.Size;
  };
  for (int Round = 0; Round != 400; ++Round) {
    std::vector<ByteSlice> All(Random() % 8);
    std::generate(All.begin(), All.end(), Any);
    SliceSet Set(All);
    ByteSlice Asked = Any();
    int64_t Missing = 0;
    bool Overlaps = false;
    bool Other = false;
    for (int64_t Byte = Asked.Offset; Byte != Asked.Offset + Asked.Size;
         ++Byte) {
      bool Is = false;
      for (const ByteSlice &S : All) {
        Is |= Has(S, Asked, Byte);
        Other |= Has(S, Asked, Byte) && !(S == Asked);
      }
      Overlaps |= Is;
      Missing += !Is;
    }
    int64_t Gap = 0;
    for (const ByteSlice &Part : Set.uncovered(Asked))
      Gap += Part.Size;
    EXPECT_EQ(Gap, Missing);
    EXPECT_EQ(Set.overlaps(Asked), Overlaps);
    EXPECT_EQ(Set.overlappingOther(Asked) != nullptr, Other);
    EXPECT_EQ(Set.contains(Asked), llvm::is_contained(All, Asked));
    EXPECT_EQ(Set.isInOne(Asked), llvm::any_of(All, [&](const ByteSlice &S) {
                return Asked.isInside(S);
              }));
  }
}
