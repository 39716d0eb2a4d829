// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Reader.h"
#include "Elements/ArrayPlaces.h"
#include "Elements/InPlaceReads.h"
#include "Elements/IntegerType.h"
#include "Support/Diagnostic.h"
#include "gtest/gtest.h"

using namespace hlobuf;
using Index = llvm::SmallVector<int64_t, 4>;

namespace {
class Elements : public testing::Test {
protected:
  const Shape &shape(llvm::StringRef Text) {
    return Shapes[Shapes.parse(Text)];
  }
  bool same(llvm::StringRef A, llvm::StringRef B) {
    return sameAddresses(shape(A), shape(B));
  }
  void expectSamePlaces(llvm::StringRef From, llvm::StringRef To);

  ShapeTable Shapes;
  IntegerSets Sets;
};
} // namespace

static std::vector<Index> allOf(const Shape &S) {
  std::vector<Index> All = {{}};
  for (const Dimension &D : S.Dimensions) {
    std::vector<Index> Longer;
    for (const Index &Prefix : All)
      for (int64_t I = 0; I != D.Size; ++I) {
        Longer.push_back(Prefix);
        Longer.back().push_back(I);
      }
    All = std::move(Longer);
  }
  return All;
}

/// The first bit of an element, tile by tile, as the layout's documentation
/// says it.
static int64_t bitAddress(const Shape &S, const Index &At) {
  Index Sizes, Position;
  if (!S.Layout) // A scalar.
    return 0;
  for (int64_t D : llvm::reverse(S.Layout->MinorToMajor)) {
    Sizes.push_back(S.Dimensions[D].Size);
    Position.push_back(At[D]);
  }
  for (const Tile &T : S.Layout->Tiles) {
    while (Sizes.size() < T.size()) {
      Sizes.insert(Sizes.begin(), 1);
      Position.insert(Position.begin(), 0);
    }
    size_t First = Sizes.size() - T.size();
    for (size_t K = 0; K != T.size(); ++K) {
      Position.push_back(Position[First + K] % T[K]);
      Position[First + K] /= T[K];
      Sizes.push_back(T[K]);
      Sizes[First + K] = (Sizes[First + K] + T[K] - 1) / T[K];
    }
  }
  int64_t Address = 0;
  for (size_t K = 0; K != Sizes.size(); ++K)
    Address = Address * Sizes[K] + Position[K];
  return Address * storedBits(S);
}

/// Every pair of indices is related where, and only where, their bits overlap.
void Elements::expectSamePlaces(llvm::StringRef From, llvm::StringRef To) {
  const Shape &X = shape(From), &Y = shape(To);
  IntegerMap Map = samePlace(Sets, X, Y);
  ASSERT_TRUE(static_cast<bool>(Map)) << From.str();
  for (const Index &I : allOf(X))
    for (const Index &J : allOf(Y)) {
      RelationBuilder Pair(Sets, I.size(), J.size());
      for (unsigned D = 0; D != I.size(); ++D)
        Pair.equal({{TermKind::In, D, 1}}, -I[D]);
      for (unsigned D = 0; D != J.size(); ++D)
        Pair.equal({{TermKind::Out, D, 1}}, -J[D]);
      int64_t P = bitAddress(X, I), Q = bitAddress(Y, J);
      bool Overlap = P < Q + storedBits(Y) && Q < P + storedBits(X);
      EXPECT_EQ(Map.intersect(Pair.map()).isEmpty(), Decision(!Overlap))
          << From.str() << " to " << To.str() << " at " << P << ", " << Q;
    }
}

TEST_F(Elements, CombinedDimensionsHaveNoKnownPlaces) {
  EXPECT_TRUE(memoryDimensions(shape("f32[3,5]{1,0:T(4,8)}")));
  EXPECT_FALSE(memoryDimensions(shape("f32[3,5]{1,0:T(*,8)}")));
  EXPECT_FALSE(same("f32[3,5]{1,0:T(*,8)}", "f32[3,5]{1,0:T(1,8)}"));
  EXPECT_TRUE(same("f32[3,5]{1,0:T(*,8)}", "f32[3,5]{1,0:T(*,8)}"));
}

TEST_F(Elements, SamePlaces) {
  expectSamePlaces("f32[2,3]{1,0}", "f32[3,2]{0,1}");
  expectSamePlaces("f32[2,3]{1,0}", "f32[6]{0}");
  expectSamePlaces("f32[4,6]{1,0}", "f32[3,8]{0,1}");
  expectSamePlaces("s16[2,4]{1,0}", "s32[2,2]{1,0}");
  expectSamePlaces("u8[3]{0}", "f64[2]{0}");
  expectSamePlaces("f32[]", "f32[1,1]{1,0}");
  expectSamePlaces("s8[3,5]{1,0:T(2,4)}", "s8[3,5]{1,0}");
  expectSamePlaces("s8[3,5]{1,0:T(2,4)}", "s8[5,3]{0,1:T(2,4)}");
  expectSamePlaces("s8[2,2,4]{2,1,0:T(2,4)}", "s8[4,4]{1,0:T(2,4)}");
  expectSamePlaces("s8[5,4]{1,0:T(4,4)(2,1)}", "s8[5,4]{1,0:T(2,4)(2,1)}");
}

TEST_F(Elements, Addresses) {
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
  // A cut between cores is not understood, but it is the same one.
  EXPECT_TRUE(same("f32[8,128]{1,0:T(8,128)SC(0:4)}",
                   "f32[8,128]{1,0:T(8,128)S(1)SC(0:4)}"));
  EXPECT_FALSE(same("f32[8,128]{1,0:T(8,128)SC(0:4)}",
                    "f32[8,128]{1,0:T(8,128)SC(0:6)}"));
  EXPECT_FALSE(
      same("f32[8,128]{1,0:T(8,128)SC(0:4)}", "f32[8,128]{1,0:T(8,128)}"));
}

TEST_F(Elements, ArithmeticOfTheMachine) {
  IntegerType S8{8, true}, U8{8, false}, S64{64, true};
  auto Compute = [](Opcode Op, llvm::ArrayRef<int64_t> In, IntegerType T) {
    return computeInteger(Op, In, T, "");
  };
  EXPECT_EQ(Compute(Opcode::Add, {100, 100}, S8), -56);
  EXPECT_EQ(Compute(Opcode::Add, {200, 100}, U8), 44);
  EXPECT_EQ(Compute(Opcode::Negate, {-128}, S8), -128);
  EXPECT_EQ(Compute(Opcode::Divide, {-7, 2}, S8), -3);
  EXPECT_EQ(Compute(Opcode::Remainder, {-7, 2}, S8), -1);
  EXPECT_EQ(Compute(Opcode::Divide, {7, 0}, S8), -1);
  EXPECT_EQ(Compute(Opcode::Remainder, {7, 0}, S8), 7);
  EXPECT_EQ(Compute(Opcode::Divide, {INT64_MIN, -1}, S64), INT64_MIN);
  EXPECT_EQ(Compute(Opcode::ShiftRightLogical, {-1, 4}, S8), 15);
  EXPECT_EQ(Compute(Opcode::ShiftRightArithmetic, {-16, 2}, S8), -4);
  EXPECT_EQ(Compute(Opcode::ShiftLeft, {1, 9}, S8), 0);
  EXPECT_EQ(Compute(Opcode::Clamp, {0, -5, 9}, S8), 0);
}

/// Symbolic numbers are the same numbers.
TEST_F(Elements, SymbolicNumbers) {
  SymbolicNumber N = SymbolicNumber::parameter(Sets, 0);
  auto At = [&](const SymbolicNumber &F, int64_t Value) {
    RelationBuilder R(Sets, 0, 0);
    R.equal({{TermKind::Parameter, 0, 1}}, -Value);
    return F.restrict(R.map().parameters()).constant();
  };
  auto Three = SymbolicNumber::constant(Sets, 3);
  for (int64_t V : {-9, -8, -1, 0, 1, 7, 8}) {
    EXPECT_EQ(At(N.quotient(Three), V), V / 3);
    EXPECT_EQ(At(N.remainder(Three), V), V % 3);
    EXPECT_EQ(At(N.modulo(3), V), V & 7);
    EXPECT_EQ(At(N.shiftRight(2), V), V >> 2);
    EXPECT_EQ(At(N.least(Three).negate(), V), -std::min<int64_t>(V, 3));
  }
  EXPECT_FALSE(N.constant());
  EXPECT_FALSE(N.values().bounds(0));
  std::pair<int64_t, int64_t> Byte(0, 255);
  EXPECT_EQ(N.modulo(8).values().bounds(0), Byte);
}

/// Whatever call of isl reaches the bound, nothing is decided, and what is
/// asked afterwards is.
TEST_F(Elements, Bound) {
  const Shape &S = shape("s8[64,64]{1,0:T(8,16)(4,1)}");
  const Shape &T = shape("s8[64,64]{0,1:T(8,16)(4,1)}");
  for (unsigned long Operations : {1, 10, 50}) {
    Sets.bound(Operations);
    IntegerMap Map = samePlace(Sets, S, T).then(samePlace(Sets, T, S));
    EXPECT_EQ(Map.isSubset(IntegerMap::identity(Sets, 2)), std::nullopt);
    EXPECT_EQ(Map.range().isEmpty(), std::nullopt);
  }
  Sets.bound(1000000);
  IntegerMap Map = samePlace(Sets, S, T).then(samePlace(Sets, T, S));
  EXPECT_EQ(Map.isSubset(IntegerMap::identity(Sets, 2)), Decision(true));
}

static const char *Shift = R"(HloModule m, is_scheduled=true

fused {
  p = s32[64]{0} parameter(0)
  i = s32[] parameter(1)
  s = s32[8]{0} dynamic-slice(p, i), dynamic_slice_sizes={8}
  c = s32[] constant(WHERE)
  ROOT w = s32[64]{0} dynamic-update-slice(p, s, c)
}

ENTRY main {
  a = s32[64]{0} parameter(0)
  i = s32[] parameter(1)
  old = s32[64]{0} copy(a)
  ROOT new = s32[64]{0} fusion(old, i), kind=kLoop, calls=fused
}
)";

/// The verdict of Shift with \p Operations for each question.
static std::vector<ElementHazard> shiftWith(unsigned long Operations) {
  std::string Text = Shift;
  Text.replace(Text.find("WHERE"), 5, "32");
  std::array<DumpFile, NumFileRoles> Files;
  auto Set = [&](FileRole Role, llvm::StringRef Content) {
    Files[static_cast<size_t>(Role)].Path = "m.txt";
    Files[static_cast<size_t>(Role)].Text = Content;
  };
  Set(FileRole::Assignment, "BufferAssignment:\n");
  Set(FileRole::Module, Text);
  SyntaxErrors Ignored;
  std::unique_ptr<Dump> D = readDump(Files, Ignored);
  Facts A(*D);
  Program P(A);
  InPlaceReads Reads(P);
  unsigned long Before = std::exchange(InPlaceReads::MaxOperations, Operations);
  HloId New = P.root(P.module().Entry);
  InPlaceChain Chain = Reads.chain(New, 0);
  EXPECT_TRUE(Chain.HasOperand);
  auto Found = Reads.find(New, 0, {0, 0}, Chain, ReadOperand{0, 0});
  InPlaceReads::MaxOperations = Before;
  return Found;
}

TEST(InPlace, BoundIsNoProof) {
  for (unsigned long Operations : {1, 10, 100}) {
    std::vector<ElementHazard> Found = shiftWith(Operations);
    ASSERT_EQ(Found.size(), 1u);
    EXPECT_EQ(Found[0].Verdict, ReadVerdict::Undecided);
    EXPECT_TRUE(Found[0].Reason.starts_with("too many steps"));
  }
  std::vector<ElementHazard> Found = shiftWith(1000000);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Verdict, ReadVerdict::Behind);
  ASSERT_EQ(Found[0].Scalars.size(), 1u);
  EXPECT_EQ(Found[0].Scalars[0].second, 25);
}
