// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/ByName.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {
struct Record {
  uint32_t Name;
  ShapeIndex Index;
};

std::vector<uint32_t> list(llvm::ArrayRef<uint32_t> Numbers) {
  return Numbers.vec();
}

TEST(ByName, GroupsByNameSortedByIndex) {
  using Numbers = std::vector<uint32_t>;
  auto At = [](uint32_t Element) { return ShapeIndex::element(Element); };
  std::vector<Record> All = {{4, At(2)}, {1, {}},    {4, At(0)}, {2, At(1)},
                             {4, At(2)}, {2, At(0)}, {4, {}},    {0, {}}};
  auto Key = [&](uint32_t I) {
    return std::pair(NameId(All[I].Name), All[I].Index);
  };
  auto IndexOf = [&](uint32_t I) { return All[I].Index; };
  ByName Groups(All.size(), Key);
  EXPECT_EQ(list(Groups[NameId(0)]), Numbers{7});
  EXPECT_EQ(list(Groups[NameId(1)]), Numbers{1});
  EXPECT_EQ(list(Groups[NameId(2)]), (Numbers{5, 3}));
  EXPECT_EQ(list(Groups[NameId(3)]), Numbers());
  EXPECT_EQ(list(Groups[NameId(4)]), (Numbers{6, 2, 0, 4}));
  EXPECT_EQ(list(Groups[NameId(6)]), Numbers());
  EXPECT_EQ(list(Groups[NameId()]), Numbers());
  EXPECT_EQ(list(Groups.at(NameId(4), At(2), IndexOf)), (Numbers{0, 4}));
  // What is not printed is the root.
  EXPECT_EQ(list(Groups.at(NameId(4), ShapeIndex::root(), IndexOf)),
            Numbers{6});
  EXPECT_EQ(list(Groups.at(NameId(4), At(1), IndexOf)), Numbers());
  EXPECT_EQ(list(Groups.at(NameId(1), At(1), IndexOf)), Numbers());
}

TEST(ByName, NothingIsInNoGroup) {
  ByName Groups(0, [](uint32_t) { return std::pair(NameId(), ShapeIndex()); });
  EXPECT_TRUE(Groups[NameId(2)].empty());
  EXPECT_TRUE(ByName()[NameId(0)].empty());
}
} // namespace
