// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/PhiSimplification.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {
/// Phi number I has the inputs Inputs[I].
using PhiInputs = std::vector<std::vector<uint32_t>>;
} // namespace

/// What stands for each phi; \p NumValues other values follow the phis.
static std::vector<uint32_t> simplified(const PhiInputs &Inputs,
                                        uint32_t NumValues) {
  auto NumPhis = static_cast<uint32_t>(Inputs.size());
  PhiGraph Graph(NumPhis, NumPhis + NumValues);
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi)
    for (uint32_t Input : Inputs[Phi])
      Graph.addInput(Phi, Input);
  Graph.simplify();
  std::vector<uint32_t> By;
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi)
    By.push_back(Graph.replacement(Phi));
  return By;
}

using Replacements = std::vector<uint32_t>;

TEST(Phis, None) { EXPECT_EQ(simplified({}, 2), Replacements()); }

TEST(Phis, TwoValuesStay) {
  EXPECT_EQ(simplified({{1, 2}}, 2), Replacements({0}));
}

TEST(Phis, OneValueTwice) {
  EXPECT_EQ(simplified({{1, 1}}, 1), Replacements({1}));
}

TEST(Phis, LoopThatPassesItsStateOn) {
  // The parameter of the body (0) merges what enters (1) and itself.
  EXPECT_EQ(simplified({{1, 0}}, 1), Replacements({1}));
}

TEST(Phis, OnlyItself) {
  // No value reaches it: it stays as it is.
  EXPECT_EQ(simplified({{0}}, 0), Replacements({0}));
}

TEST(Phis, Chain) {
  // Each is all that the next one has.
  EXPECT_EQ(simplified({{1, 1}, {2, 2}, {3, 3}}, 1), Replacements({3, 3, 3}));
}

TEST(Phis, CircleAroundOneValue) {
  // Condition, body and loop of a while that changes nothing.
  EXPECT_EQ(simplified({{1, 3}, {2, 3}, {0, 1}}, 1), Replacements({3, 3, 3}));
}

TEST(Phis, CircleAroundTwoValues) {
  // 0 merges 3 with 1, 1 merges 4 with 0: both reach both.
  EXPECT_EQ(simplified({{1, 2}, {0, 3}}, 2), Replacements({0, 1}));
}

TEST(Phis, CircleWithoutValue) {
  EXPECT_EQ(simplified({{1}, {0}}, 0)[1], simplified({{1}, {0}}, 0)[0]);
}

TEST(Phis, InnerOneGoesOuterOneStays) {
  // The inner loop (1) passes the state of the outer one (0) on.
  EXPECT_EQ(simplified({{2, 3}, {0, 1}}, 2), Replacements({0, 0}));
}

TEST(Phis, ReplacementIsReplaced) {
  // 0 becomes 1 first, and then 1 becomes the value.
  EXPECT_EQ(simplified({{1, 1}, {2, 2}}, 1), Replacements({2, 2}));
}

TEST(Phis, StaysBesideTwoThatGo) {
  // 0 and 1 are the value 3; 2 merges it with 4.
  EXPECT_EQ(simplified({{1, 3}, {0, 3}, {0, 4}}, 2), Replacements({3, 3, 2}));
}

TEST(Phis, MetByAClosureThatFailed) {
  // The same with 0 as the one that stays: the closure of 0 meets 1 and 2, and
  // the compiler does not look at those again.
  EXPECT_EQ(simplified({{1, 4}, {2, 3}, {1, 3}}, 2), Replacements({0, 1, 2}));
}

/// What stands for each phi if only those of \p Kept stay; empty where that is
/// not legal.
static std::vector<uint32_t> keptOnly(const PhiInputs &Inputs,
                                      uint32_t NumValues,
                                      const std::vector<bool> &Kept) {
  auto NumPhis = static_cast<uint32_t>(Inputs.size());
  PhiGraph Graph(NumPhis, NumPhis + NumValues);
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi)
    for (uint32_t Input : Inputs[Phi])
      Graph.addInput(Phi, Input);
  if (!Graph.keepOnly(Kept))
    return {};
  std::vector<uint32_t> By;
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi)
    By.push_back(Graph.replacement(Phi));
  return By;
}

TEST(Phis, KeepsWhatCouldGo) {
  EXPECT_EQ(keptOnly({{1, 1}}, 1, {true}), Replacements({0}));
}

TEST(Phis, DropsWhatOneValueReaches) {
  EXPECT_EQ(keptOnly({{1, 2}, {0, 2}}, 1, {false, false}),
            Replacements({2, 2}));
}

TEST(Phis, DropsTowardsAKeptPhi) {
  EXPECT_EQ(keptOnly({{1, 0}, {2, 3}}, 2, {false, true}), Replacements({1, 1}));
}

TEST(Phis, MustNotDropWhereValuesMeet) {
  EXPECT_EQ(keptOnly({{1, 2}}, 2, {false}), Replacements());
}

TEST(Phis, MustNotDropBehindWhereValuesMeet) {
  EXPECT_EQ(keptOnly({{1, 1}, {2, 3}}, 2, {false, false}), Replacements());
}
