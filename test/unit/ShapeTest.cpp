// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/Shape.h"
#include "gtest/gtest.h"

using namespace hlobuf;
using llvm::StringRef;

TEST(Shape, ReadsWhatXLAPrints) {
  for (const char *Text : {
           "f32[]",
           "pred[3,4]",
           "f32[3,4]{1,0}",
           "s4[7]{0:E(4)}",
           "f32[<=8,4]{1,0}",
           "f32[?,4]",
           "f32[0]{0}",
           "u32[]{:T(128)}",
           "u32[]{:S(2)}",
           "f32[3,2]{0,1:T(1,128)S(1)}",
           "bf16[2,3,4]{2,1,0:T(8,128)(2,1)}",
           "f32[3,5]{1,0:T(*,8)}",
           "s32[128]{0:T(1)L(128)S(4)}",
           "f32[128,32]{0,1:T(8,128)S(1)SC(0:16)}",
           "f32[8,8]{1,0:SC(0:2,4)(1:4)}",
           "f32[8]{0:M(32)}",
           "f32[4,4]{1,0:D(D,C+,S~,H)#(u32)*(invalid)}",
           "f32[4]{0:T(128)P(f32[128]{0:T(128)})}",
           "f32[4]{0:NEW(1,2)(3)}",
           "newtype[4]{0}",
           "token[]",
           "opaque[]",
           "()",
           "(f32[4]{0})",
           "(f32[4]{0}, (s32[], token[]))",
           "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
           "(f32[], f32[], f32[], f32[], f32[], f32[])",
           "b(f32[4]{0})",
       }) {
    ShapeTable Shapes;
    ShapeId Id = Shapes.parse(StringRef(Text));
    ASSERT_TRUE(Id.valid()) << Text;
    EXPECT_EQ(Shapes.text(Id), Text);
  }
}

TEST(Shape, RefusesWhatXLADoesNotPrint) {
  for (const char *Text : {
           "",
           "f32",
           "f32[",
           "f32[4",
           "f32[04]",
           "f32[-4]",
           "f32[4,]",
           "f32[ 4]",
           "f32[<4]",
           "f32[18446744073709551616]",
           "F32[4]",
           "f32[4]{}",
           "f32[]{}",
           "f32[4]{0,1}",
           "f32[4,4]{0}",
           "f32[4,4]{0,0}",
           "f32[4]{1}",
           "f32[4]{0",
           "f32[4]{0:}",
           "f32[4]{0:T}",
           "f32[4]{0:T(0)}",
           "f32[4]{0:T(8,)}",
           "f32[4]{0:T(8)T(8)}",
           "f32[4]{0:S(1)S(1)}",
           "f32[4]{0:L(0)}",
           "f32[4]{0:s(1)}",
           "f32[4]{0:SC(0)}",
           "f32[4]{0} ",
           "token[4]",
           "opaque[]{0}",
           "(",
           "(f32[4]",
           "(f32[4],f32[4])",
           "(f32[4], )",
           "(, f32[4])",
           "(f32[], f32[], f32[], f32[], f32[], /*index=4*/f32[])",
           "b()",
           "b(f32[4]",
       }) {
    ShapeTable Shapes;
    EXPECT_FALSE(Shapes.parse(StringRef(Text)).valid()) << Text;
  }
}

TEST(Shape, RefusesEndlessNesting) {
  std::string Text = std::string(100000, '(') + std::string(100000, ')');
  ShapeTable Shapes;
  EXPECT_FALSE(Shapes.parse(StringRef(Text)).valid());
}

TEST(Shape, TakesTheShapeAtTheFront) {
  ShapeTable Shapes;
  Scanner In("(f32[4]{0}, s32[]) fusion(%x)");
  ShapeId Id = Shapes.parse(In);
  ASSERT_TRUE(Id.valid());
  EXPECT_EQ(In.rest(), " fusion(%x)");
  Scanner Bad("f32[4}");
  EXPECT_FALSE(Shapes.parse(Bad).valid());
  EXPECT_EQ(Bad.rest(), "f32[4}");
}

TEST(Shape, Fields) {
  ShapeTable Shapes;
  ShapeId Id = Shapes.parse(
      StringRef("bf16[<=3,5]{0,1:T(8,128)(2,1)L(256)E(16)S(1)SC(0:2)}"));
  ASSERT_TRUE(Id.valid());
  const Shape &S = Shapes[Id];
  EXPECT_TRUE(S.isArray());
  EXPECT_TRUE(S.isDynamic());
  EXPECT_TRUE(S.isTiled());
  EXPECT_EQ(S.Bits, 16u);
  EXPECT_EQ(S.Element, "bf16");
  EXPECT_EQ(S.memorySpace(), 1);
  EXPECT_EQ(S.Layout->TailPadding, 256);
  EXPECT_EQ(S.Layout->ElementBits, 16);
  EXPECT_EQ(S.Layout->Tiles.size(), 2u);
  ASSERT_EQ(S.Layout->Splits.size(), 1u);
  EXPECT_EQ(S.Layout->Splits[0].Indices.front(), 2);
}

TEST(Shape, SameTextIsSameShape) {
  ShapeTable Shapes;
  ShapeId Tuple = Shapes.parse(StringRef("(f32[4]{0}, f32[4]{0})"));
  ASSERT_TRUE(Tuple.valid());
  EXPECT_EQ(Shapes[Tuple].Elements[0], Shapes[Tuple].Elements[1]);
  EXPECT_EQ(Shapes.parse(StringRef("f32[4]{0}")), Shapes[Tuple].Elements[0]);
  EXPECT_EQ(Shapes.size(), 2u);
}

TEST(Shape, Parts) {
  ShapeTable Shapes;
  ShapeId Id = Shapes.parse(StringRef("(f32[4]{0}, (s32[], ()))"));
  ASSERT_TRUE(Id.valid());
  EXPECT_EQ(Shapes[Id].Nodes, 5u);
  EXPECT_EQ(Shapes.at(Id, {}), Id);
  EXPECT_EQ(Shapes.text(Shapes.at(Id, {1, 0})), "s32[]");
  EXPECT_FALSE(Shapes.at(Id, {2}).valid());
  EXPECT_FALSE(Shapes.at(Id, {0, 0}).valid());
  EXPECT_FALSE(Shapes.at(Id, {1, 1, 0}).valid());
}

TEST(Shape, EqualIgnoringLayout) {
  ShapeTable Shapes;
  auto Equal = [&](const char *A, const char *B) {
    return Shapes.equalIgnoringLayout(Shapes.parse(StringRef(A)),
                                      Shapes.parse(StringRef(B)));
  };
  EXPECT_TRUE(Equal("(f32[4]{0:T(128)}, s32[])", "(f32[4], s32[])"));
  EXPECT_TRUE(Equal("(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
                    "(f32[], f32[], f32[], f32[], f32[], f32[])"));
  EXPECT_FALSE(Equal("f32[4]", "f32[<=4]"));
  EXPECT_FALSE(Equal("f32[4]", "s32[4]"));
  EXPECT_FALSE(Equal("f32[4,1]", "f32[4]"));
  EXPECT_FALSE(Equal("(f32[4])", "f32[4]"));
  EXPECT_FALSE(Equal("(f32[4])", "(f32[4], f32[4])"));
}

TEST(Shape, PlainText) {
  ShapeTable Shapes;
  ShapeId Id = Shapes.parse(
      StringRef("(f32[<=4]{0:T(128)S(1)}, u32[]{:S(2)}, token[])"));
  ASSERT_TRUE(Id.valid());
  EXPECT_EQ(Shapes.plainText(Id), "(f32[<=4], u32[], token[])");
}
