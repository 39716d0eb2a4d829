// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/InstructionOrder.h"
#include "gtest/gtest.h"

using namespace hlobuf;

static std::vector<HloId> listed(InstructionOrder Order) {
  std::vector<HloId> Out(Order.begin(), Order.end());
  EXPECT_EQ(Out.size(), Order.size());
  for (size_t I = 0; I != Out.size(); ++I)
    EXPECT_EQ(Order[I], Out[I]);
  return Out;
}

TEST(InstructionOrder, OfTheText) {
  EXPECT_EQ(listed(InstructionOrder({3, 6})),
            (std::vector{HloId(3), HloId(4), HloId(5)}));
  EXPECT_TRUE(listed(InstructionOrder(IndexRange{3, 3})).empty());
}

TEST(InstructionOrder, OfAList) {
  std::vector<HloId> All = {HloId(7), HloId(2), HloId(9)};
  InstructionOrder Order{llvm::ArrayRef(All)};
  EXPECT_EQ(listed(Order), All);
  EXPECT_EQ(*(Order.begin() + 2), HloId(9));
  EXPECT_EQ(Order.end() - Order.begin(), 3);
}
