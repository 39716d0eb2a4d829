// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/UnionFind.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {
TEST(UnionFind, NamedBySmallestMember) {
  UnionFind Sets(7);
  Sets.join(5, 6);
  Sets.join(3, 5);
  Sets.join(4, 1);
  EXPECT_EQ(Sets.find(6), 3u);
  EXPECT_EQ(Sets.find(0), 0u);
  Sets.join(6, 4);
  EXPECT_EQ(Sets.find(5), 1u);
  EXPECT_EQ(Sets.take(), (std::vector<uint32_t>{0, 1, 2, 1, 1, 1, 1}));
}
} // namespace
