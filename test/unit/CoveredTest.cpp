// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unions of byte ranges.

#include "Memory/ByteSpans.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace hlobuf;

TEST(Covered, CountsSharedBytesOnce) {
  Covered C({{0, 10}, {5, 15}, {20, 30}});
  EXPECT_EQ(C.size(), 0u);
  C.add({0, 10}, 1);
  C.add({5, 15}, 1);
  EXPECT_EQ(C.size(), 15u);
  C.add({20, 30}, 1);
  C.add({0, 10}, -1);
  EXPECT_EQ(C.size(), 20u);
}

TEST(Covered, NoSpans) { EXPECT_EQ(Covered({}).size(), 0u); }

TEST(Covered, AgreesWithBits) {
  std::mt19937 Random(1);
  for (int Round = 0; Round != 50; ++Round) {
    std::vector<ByteSpan> All;
    for (int I = 0; I != 12; ++I) {
      uint64_t Begin = Random() % 60;
      All.push_back({Begin, Begin + 1 + Random() % 20});
    }
    Covered C(All);
    std::vector<int> Count(80);
    auto Bytes = [&] {
      return static_cast<uint64_t>(
          llvm::count_if(Count, [](int N) { return N != 0; }));
    };
    for (ByteSpan S : All) {
      C.add(S, 1);
      for (uint64_t I = S.Begin; I != S.End; ++I)
        ++Count[I];
      EXPECT_EQ(C.size(), Bytes());
    }
    for (ByteSpan S : All) {
      C.add(S, -1);
      for (uint64_t I = S.Begin; I != S.End; ++I)
        --Count[I];
      EXPECT_EQ(C.size(), Bytes());
    }
  }
}
