//===- ElementMapTest.cpp -------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementMap.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {
class ElementMaps : public testing::Test {
protected:
  const Shape &shape(llvm::StringRef Text) { return Shapes[id(Text)]; }
  ShapeId id(llvm::StringRef Text) { return Shapes.parse(Text); }
  ElementMap identity(llvm::StringRef Text) {
    return ElementMap::identity(id(Text), shape(Text));
  }
  /// Pairs (written, read) of elements.
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  void append(const ElementMap &Map, llvm::StringRef Operand, Pairs &All);
  /// In order.
  static std::string text(Pairs All);
  std::string pairs(const ElementMap &Map, llvm::StringRef Operand) {
    Pairs All;
    append(Map, Operand, All);
    return text(All);
  }
  bool same(llvm::StringRef A, llvm::StringRef B) {
    return sameAddresses(shape(A), shape(B));
  }
  static AffineIndex constant(int64_t N) {
    AffineIndex Index;
    Index.Constant = N;
    return Index;
  }

  ShapeTable Shapes;
};
} // namespace

void ElementMaps::append(const ElementMap &Map, llvm::StringRef Operand,
                         Pairs &All) {
  llvm::SmallVector<int64_t, 8> Factors;
  AffineIndex Base = Map.linearRead(shape(Operand), Factors);
  size_t First = All.size();
  All.push_back({Map.Write.Constant, Base.Constant});
  for (size_t K = 0; K != Map.Digits.size(); ++K) {
    size_t End = All.size();
    for (int64_t I = 1; I < Map.Digits[K].Count; ++I)
      for (size_t P = First; P != End; ++P)
        All.push_back({All[P].first + I * Map.Digits[K].Write,
                       All[P].second + I * Factors[K]});
  }
}

std::string ElementMaps::text(Pairs All) {
  llvm::sort(All);
  std::string Text;
  for (auto [Written, Read] : All)
    Text += std::to_string(Written) + "<" + std::to_string(Read) + " ";
  return Text;
}

TEST_F(ElementMaps, Identity) {
  EXPECT_EQ(pairs(identity("f32[2,2]{1,0}"), "f32[2,2]{1,0}"),
            "0<0 1<1 2<2 3<3 ");
  EXPECT_TRUE(identity("f32[2,2]{1,0}").isIdentity(shape("f32[2,2]{1,0}")));
}

TEST_F(ElementMaps, OtherLayout) {
  // The same indices, in another order of memory.
  EXPECT_EQ(pairs(identity("f32[2,3]{1,0}"), "f32[2,3]{0,1}"),
            "0<0 1<2 2<4 3<1 4<3 5<5 ");
  EXPECT_FALSE(identity("f32[2,3]{1,0}").isIdentity(shape("f32[2,3]{0,1}")));
}

TEST_F(ElementMaps, Slice) {
  ElementMap Map = identity("f32[2]{0}");
  Map.slice(0, constant(1), 2);
  EXPECT_EQ(pairs(Map, "f32[4]{0}"), "0<1 1<3 ");
}

TEST_F(ElementMaps, Update) {
  ElementMap Map = identity("f32[4,2]{1,0}");
  ASSERT_TRUE(Map.restrict(0, 4, constant(1), 1, 2));
  EXPECT_EQ(pairs(Map, "f32[2,2]{1,0}"), "2<0 3<1 4<2 5<3 ");
  // A window outside of the first one.
  EXPECT_FALSE(Map.restrict(0, 2, constant(2), 1, 1));
}

TEST_F(ElementMaps, UpdateOfReversed) {
  ElementMap Map = identity("f32[4]{0}");
  Map.reverse(0, 4);
  ASSERT_TRUE(Map.restrict(0, 4, constant(0), 1, 2));
  EXPECT_EQ(pairs(Map, "f32[2]{0}"), "2<1 3<0 ");
}

TEST_F(ElementMaps, PadWithHoles) {
  // padding=1_0_1: elements 1, 3, 5 are there.
  ElementMap Map = identity("f32[6]{0}");
  ASSERT_TRUE(Map.restrict(0, 6, constant(1), 2, 3));
  EXPECT_EQ(pairs(Map, "f32[3]{0}"), "1<0 3<1 5<2 ");
}

TEST_F(ElementMaps, PadThatCuts) {
  // padding=-1_0: element 0 is cut off.
  ElementMap Map = identity("f32[2]{0}");
  ASSERT_TRUE(Map.restrict(0, 2, constant(-1), 1, 3));
  EXPECT_EQ(pairs(Map, "f32[3]{0}"), "0<1 1<2 ");
}

TEST_F(ElementMaps, Transpose) {
  ElementMap Map = identity("f32[2,3]{1,0}");
  Map.moveDimensions({1, 0}, 2);
  EXPECT_EQ(pairs(Map, "f32[3,2]{1,0}"), "0<0 1<2 2<4 3<1 4<3 5<5 ");
}

TEST_F(ElementMaps, Broadcast) {
  ElementMap Map = identity("f32[2,2]{1,0}");
  Map.moveDimensions({-1, 0}, 1);
  EXPECT_EQ(pairs(Map, "f32[2]{0}"), "0<0 1<1 2<0 3<1 ");
}

TEST_F(ElementMaps, Reduce) {
  ElementMap Map = identity("f32[2]{0}");
  Map.moveDimensions({0}, 2);
  Map.readWhole(1, 2);
  EXPECT_EQ(pairs(Map, "f32[2,2]{1,0}"), "0<0 0<1 1<2 1<3 ");
}

TEST_F(ElementMaps, Bitcast) {
  ElementMap Map = identity("f32[2,3]{1,0}");
  Map.renumber(shape("f32[2,3]{1,0}"), shape("f32[6]{0}"), /*Logical=*/false);
  EXPECT_TRUE(Map.isIdentity(shape("f32[6]{0}")));
  // Rows 1 and 2 of a flat array become rows of another shape.
  Map = identity("f32[6]{0}");
  ASSERT_TRUE(Map.restrict(0, 6, constant(2), 1, 4));
  Map.renumber(shape("f32[4]{0}"), shape("f32[2,2]{0,1}"), /*Logical=*/false);
  EXPECT_EQ(Map.Kind, MapKind::Exact);
  EXPECT_EQ(pairs(Map, "f32[2,2]{0,1}"), "2<0 3<1 4<2 5<3 ");
}

TEST_F(ElementMaps, ReshapeCountsIndices) {
  ElementMap Map = identity("f32[2,2]{0,1}");
  Map.renumber(shape("f32[2,2]{0,1}"), shape("f32[4]{0}"), /*Logical=*/true);
  EXPECT_EQ(pairs(Map, "f32[4]{0}"), "0<0 1<2 2<1 3<3 ");
}

TEST_F(ElementMaps, WindowThatBeginsInsideARow) {
  ElementMap Map = identity("f32[6]{0}");
  Map.slice(0, constant(1), 1);
  Map.renumber(shape("f32[8]{0}"), shape("f32[2,4]{1,0}"), /*Logical=*/false);
  EXPECT_TRUE(Map.Flat);
  EXPECT_EQ(pairs(Map, "f32[2,4]{1,0}"), "0<1 1<2 2<3 3<4 4<5 5<6 ");
  Map.renumber(shape("f32[2,4]{1,0}"), shape("f32[8]{0}"), /*Logical=*/false);
  EXPECT_FALSE(Map.Flat);
  EXPECT_EQ(Map.Kind, MapKind::Exact);
  // Nothing shows which index an element of a flat window has.
  Map.renumber(shape("f32[8]{0}"), shape("f32[2,4]{0,1}"), /*Logical=*/false);
  Map.renumber(shape("f32[2,4]{0,1}"), shape("f32[8]{0}"), /*Logical=*/true);
  EXPECT_EQ(Map.Kind, MapKind::Unknown);
}

TEST_F(ElementMaps, RowsOfAWindow) {
  // Every window of every step has the same pairs in rows as it has flat.
  llvm::StringRef From = "f32[60]{0}", To = "f32[3,4,5]{2,1,0}";
  size_t Split = 0;
  for (int64_t Begin = 0; Begin != 60; ++Begin)
    for (int64_t Stride : {1, 2, 3, 5, 10})
      for (int64_t Count = 1; Begin + Stride * (Count - 1) < 60; ++Count) {
        std::string Window = "f32[" + std::to_string(Count) + "]{0}";
        ElementMap Map = identity(Window);
        Map.slice(0, constant(Begin), Stride);
        Map.renumber(shape(From), shape(To), /*Logical=*/false);
        if (!Map.Flat)
          continue;
        llvm::SmallVector<ElementMap, 4> Rows;
        ASSERT_TRUE(Map.splitRows(shape(To), Rows))
            << Begin << " " << Stride << " " << Count;
        Pairs All;
        for (const ElementMap &Row : Rows) {
          EXPECT_FALSE(Row.Flat);
          append(Row, To, All);
        }
        EXPECT_EQ(text(All), pairs(Map, To));
        ++Split;
      }
  EXPECT_GT(Split, 1000u);
}

TEST_F(ElementMaps, RowsOfTwoDigits) {
  // Rows of 7, reversed, counted on in rows of 5.
  ElementMap Map = identity("f32[2,7]{1,0}");
  Map.reverse(0, 2);
  Map.renumber(shape("f32[2,7]{1,0}"), shape("f32[14]{0}"), false);
  Map.slice(0, constant(3), 1);
  Map.renumber(shape("f32[20]{0}"), shape("f32[4,5]{1,0}"), false);
  ASSERT_TRUE(Map.Flat);
  llvm::SmallVector<ElementMap, 4> Rows;
  ASSERT_TRUE(Map.splitRows(shape("f32[4,5]{1,0}"), Rows));
  Pairs All;
  for (const ElementMap &Row : Rows)
    append(Row, "f32[4,5]{1,0}", All);
  EXPECT_EQ(text(All), pairs(Map, "f32[4,5]{1,0}"));
}

TEST_F(ElementMaps, UnknownStart) {
  AffineIndex Start;
  Start.Terms.push_back({7, 2, 1});
  ElementMap Map = identity("f32[4,2]{1,0}");
  ASSERT_TRUE(Map.restrict(0, 4, Start, 1, 2));
  // The start counts rows of two elements.
  ASSERT_EQ(Map.Write.Terms.size(), 1u);
  EXPECT_EQ(Map.Write.Terms[0].Factor, 2);
  Map.slice(0, Start, 1);
  llvm::SmallVector<int64_t, 8> Factors;
  EXPECT_EQ(Map.linearRead(shape("f32[4,2]{1,0}"), Factors), Map.Write);
}

TEST_F(ElementMaps, HugeNumbersStayBounded) {
  ElementMap Map = identity("f32[4]{0}");
  for (int K = 0; K != 9; ++K)
    Map.slice(0, constant(0), 1 << 30);
  EXPECT_TRUE(Map.isTooLarge());
}

TEST_F(ElementMaps, Addresses) {
  EXPECT_TRUE(same("f32[2,3]{1,0}", "f32[2,3]{1,0:S(1)}"));
  EXPECT_FALSE(same("f32[2,3]{1,0}", "f32[2,3]{0,1}"));
  // The dimension order of size 1 is free.
  EXPECT_TRUE(same("f32[1,3]{1,0}", "f32[1,3]{0,1}"));
  // One tile either way.
  EXPECT_TRUE(same("f32[8,128]{1,0:T(8,128)}", "f32[8,128]{1,0:T(4,128)}"));
  EXPECT_FALSE(same("f32[8,256]{1,0:T(8,128)}", "f32[8,256]{1,0:T(4,128)}"));
  EXPECT_TRUE(same("bf16[64,128]{1,0:T(16,128)(2,1)}",
                   "bf16[64,128]{1,0:T(8,128)(2,1)}"));
  EXPECT_FALSE(same("s4[8]{0:E(4)}", "s4[8]{0}"));
}

TEST_F(ElementMaps, Orders) {
  auto Comparable = [&](llvm::StringRef A, llvm::StringRef B) {
    return comparableOrders(shape(A), shape(B));
  };
  EXPECT_TRUE(Comparable("f32[2,3]{1,0}", "f32[6]{0}"));
  EXPECT_TRUE(
      Comparable("f32[1,8,16]{2,1,0:T(8,128)}", "f32[8,16]{1,0:T(8,128)}"));
  // Eight rows in one tile, or each in one of its own.
  EXPECT_FALSE(
      Comparable("f32[8,1,16]{2,1,0:T(8,128)}", "f32[8,16]{1,0:T(8,128)}"));
  EXPECT_FALSE(Comparable("f32[16]{0:T(128)}", "f32[16]{0:T(256)}"));
}
