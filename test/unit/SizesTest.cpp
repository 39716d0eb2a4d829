// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Sizes.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {
/// A shape and the bytes expected for it; Unknown where there are none.
struct Case {
  const char *Text;
  int64_t Bytes;
};
} // namespace

static constexpr int64_t Unknown = -1;

template <typename Fn>
static void expectEach(llvm::ArrayRef<Case> Cases, Fn SizeOf) {
  for (const Case &C : Cases) {
    ShapeTable Shapes;
    ShapeId Id = Shapes.parse(llvm::StringRef(C.Text));
    ASSERT_TRUE(Id.valid()) << C.Text;
    std::optional<uint64_t> Bytes = SizeOf(Shapes, Id);
    EXPECT_EQ(Bytes ? static_cast<int64_t>(*Bytes) : Unknown, C.Bytes)
        << C.Text;
  }
}

static std::optional<uint64_t> tiled(const ShapeTable &Shapes, ShapeId Id) {
  return tiledBytesOf(Shapes[Id]);
}

TEST(Sizes, Logical) {
  expectEach(
      {
          {"f32[]", 4},
          {"pred[]", 1},
          {"pred[3]{0}", 3},
          {"bf16[300,5]{1,0}", 3000},
          {"c64[2]{0}", 16},
          {"c128[2]{0}", 32},
          {"f8e4m3fn[7]{0}", 7},
          // The dimension order and tiles do not matter.
          {"f32[2,3]{0,1:T(8,128)S(1)}", 24},
          {"f32[0,7]{1,0}", 0},
          {"f32[<=8,2]{1,0}", 64},
          {"f32[?]{0}", Unknown},
          {"newtype[2]{0}", Unknown},
          {"()", 0},
          {"(f32[4], (s32[], s32[]))", 16},
          {"token[]", 0},
          {"opaque[]", 8},
          {"b(f32[4]{0})", 16},
      },
      logicalBytes);
}

TEST(Sizes, LogicalSubByte) {
  expectEach(
      {
          // Whole bytes, unless E says otherwise.
          {"s4[5]{0}", 5},
          {"s4[5]{0:E(4)}", 3},
          {"s4[4]{0:E(4)}", 2},
          {"u2[9]{0:E(2)}", 3},
          {"s1[9]{0:E(1)}", 2},
          {"f4e2m1fn[3]{0}", 3},
          {"f6e3m2fn[4]{0:E(6)}", 3},
          // An unknown type whose width is printed.
          {"newtype[4]{0:E(4)}", 2},
      },
      logicalBytes);
}

TEST(Sizes, LogicalOverflow) {
  expectEach(
      {
          {"s8[9223372036854775807]{0}", Unknown},
          {"s8[1000000000000000]{0}", 1000000000000000},
          {"f64[4611686018427387904]{0}", Unknown},
          {"s8[4294967296,4294967296]{1,0}", Unknown},
          {"s8[4294967296,4294967296,0]{2,1,0}", Unknown},
      },
      logicalBytes);
}

TEST(Sizes, OneTile) {
  expectEach(
      {
          {"f32[]{:T(128)}", 512},
          {"f32[1]{0:T(128)}", 512},
          {"f32[129]{0:T(128)}", 1024},
          {"f32[300]{0:T(512)S(1)}", 2048},
          {"s32[1024]{0:T(1024)S(3)}", 4096},
          {"f32[192]{0:T(256)}", 1024},
          {"u32[3,2]{0,1:T(2,128)}", 1024},
          {"u32[3,1]{0,1:T(1,128)S(1)}", 512},
          {"f32[5,262,207]{2,1,0:T(8,128)}", 5 * 264 * 256 * 4},
          {"f32[64,32]{0,1:T(8,128)S(1)}", 16384},
          {"f32[3,9]{1,0:T(4,128)}", 2048},
          {"s32[0]{0:T(128)}", 0},
          {"s32[25]{0:T(1)S(11)}", 100},
          // Minor dimensions first: only the two most minor are tiled.
          {"f32[2,8,128]{0,2,1:T(8,128)}", 8 * 128 * 128 * 4},
      },
      tiled);
}

TEST(Sizes, SeveralTiles) {
  expectEach(
      {
          {"bf16[3]{0:T(256)(128)(2,1)}", 512},
          {"bf16[64]{0:T(256)(128)(2,1)}", 512},
          {"u8[5]{0:T(512)(128)(4,1)}", 512},
          {"s8[1500]{0:T(1024)(128)(4,1)}", 2048},
          {"bf16[9,130]{1,0:T(8,128)(2,1)}", 16 * 256 * 2},
          {"bf16[1,5]{1,0:T(2,128)(2,1)}", 2 * 128 * 2},
          {"bf16[4,128]{1,0:T(4,128)(2,1)}", 1024},
          {"s8[8,64]{1,0:T(8,128)(4,1)}", 1024},
          {"s8[3,33]{1,0:T(4,128)(4,1)}", 512},
          {"s4[8,128]{1,0:T(8,128)(8,1)E(4)}", 512},
          {"bf16[17,128]{1,0:T(16,128)(2,1)}", 32 * 128 * 2},
          {"f16[16,1]{1,0:T(16,128)(16,1)}", 16 * 128 * 2},
          {"s8[32,128]{1,0:T(32,128)(4,1)}", 4096},
          {"s4[64,128]{1,0:T(64,128)(8,1)E(4)}", 4096},
          {"s2[128,128]{1,0:T(128,128)(16,1)E(2)}", 4096},
          {"pred[]{:T(512)}", 512},
          // One row of 128, rounded up to two by the second level.
          {"bf16[1,128]{1,0:T(1,128)(2,1)}", 512},
      },
      tiled);
}

TEST(Sizes, CombinedDimensions) {
  expectEach(
      {
          // The entry * merges its dimension into the next more minor one.
          {"f32[3,5]{1,0:T(*,8)}", 16 * 4},
          {"f32[2,3,5]{2,1,0:T(*,4)}", 2 * 16 * 4},
          {"f32[2,3,5]{2,1,0:T(*,*,4)}", 32 * 4},
      },
      tiled);
}

TEST(Sizes, TailAndSplit) {
  expectEach(
      {
          {"s32[128]{0:T(1)L(128)S(4)}", 512},
          {"s32[129]{0:T(1)L(128)S(4)}", 1024},
          // Two cores: each has half of the most major dimension.
          {"f32[128,32]{0,1:T(8,128)S(1)SC(0:16)}", 8192},
          {"f32[32,128]{1,0:T(8,128)SC(0:8)}", 24 * 128 * 4},
          {"f32[32,128]{1,0:T(8,128)SC(0:8,16)}", 16 * 128 * 4},
          // Cuts that no array has.
          {"f32[32,128]{1,0:T(8,128)SC(2:8)}", Unknown},
          {"f32[32,128]{1,0:T(8,128)SC(0:64)}", Unknown},
          {"f32[32,128]{1,0:T(8,128)SC(0:16,8)}", Unknown},
      },
      tiled);
}

TEST(Sizes, NotTiled) {
  expectEach(
      {
          {"f32[4]", Unknown},
          {"(f32[4]{0:T(128)})", Unknown},
          {"token[]", Unknown},
          {"f32[<=4]{0:T(128)}", Unknown},
          {"f32[?]{0:T(128)}", Unknown},
          {"f32[4]{0:T(128)M(32)}", Unknown},
          {"f32[4]{0:T(128)P(f32[128]{0})}", Unknown},
          {"f32[4]{0:T(128)X(1)}", Unknown},
          {"newtype[4]{0:T(128)}", Unknown},
          {"s8[9223372036854775807]{0:T(128)}", Unknown},
          {"s32[8]{0:T(4294967296,4294967296)}", Unknown},
      },
      tiled);
}

TEST(Sizes, OwnOnCPU) {
  for (Backend B : {Backend::CPU, Backend::GPU, Backend::Untiled})
    expectEach(
        {
            {"f32[3,2]{0,1}", 24},
            // Four bytes for each dimension of a dynamic array.
            {"f32[<=3,2]{0,1}", 24 + 8},
            {"(f32[<=3])", 8},
            {"()", 0},
            {"token[]", 0},
            {"opaque[]", 8},
            {"f32[?]{0}", Unknown},
        },
        [&](const ShapeTable &Shapes, ShapeId Id) {
          return ownBytes(Shapes, Id, B, /*Color=*/0);
        });
}

TEST(Sizes, OwnOnTPU) {
  auto InColor = [](int32_t Color) {
    return [=](const ShapeTable &Shapes, ShapeId Id) {
      return ownBytes(Shapes, Id, Backend::TPU, Color);
    };
  };
  for (int32_t Color : {0, 1, 3})
    expectEach({{"f32[9]{0:T(128)}", 512}, {"token[]", 0}, {"()", Unknown}},
               InColor(Color));
  expectEach(
      {
          {"f32[]", 4096},
          {"bf16[]", 2048},
          {"pred[]", 1024},
          {"f64[]", Unknown},
          {"f32[4]", Unknown},
          {"f32[0]", 0},
          {"f32[4]{0}", Unknown},
      },
      InColor(0));
  expectEach({{"u32[]{:S(2)}", 4},
              {"s32[12]{0:S(2)}", 48},
              {"u32[]{:T(128)S(2)}", Unknown}},
             InColor(2));
  expectEach({{"s32[12]{0:S(8)}", 48}}, InColor(8));
  expectEach({{"s32[3]{0:S(10)}", 12}}, InColor(10));
  expectEach({{"f32[]{:T(128)S(6)}", Unknown}}, InColor(6));
}

TEST(Sizes, Likely) {
  auto InColor = [](int32_t Color) {
    return [=](const ShapeTable &Shapes, ShapeId Id) {
      return likelyBytes(Shapes, Id, Color);
    };
  };
  expectEach({{"u32[]{:T(128)S(2)}", 4}}, InColor(2));
  expectEach({{"s32[2]{0:S(4)}", 4096},
              {"s32[129]{0:S(4)}", Unknown},
              {"f32[10]{0:T(128)S(4)}", 512}},
             InColor(4));
  expectEach(
      {{"pred[1]{0:T(512)(128)(4,1)S(6)}", 512}, {"f32[4]{0:S(6)}", Unknown}},
      InColor(6));
  expectEach({{"s32[25]{0:T(1)S(11)}", 100}}, InColor(11));
  expectEach({{"f32[]{:T(128)S(5)}", Unknown}, {"token[]", Unknown}},
             InColor(5));
}
