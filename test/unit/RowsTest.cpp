// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a dump does not keep of its rows is found again.

#include "Dump/Places.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "gtest/gtest.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr uint32_t Many = 300;

/// Values `v0`, `v1`, .. in two allocations. `v0` is at Many positions and has
/// Many uses; `r` has Many operands, two values, and two texts.
static std::string assignment() {
  std::string Text = "BufferAssignment:\n";
  for (uint32_t I = 0; I != 2 * Many; ++I) {
    if (I % Many == 0)
      Text +=
          fmt::format("allocation {}: size 1200, maybe-live-out:\n", I / Many);
    if (I % 20 == 7)
      Text += "// not a row\n";
    Text += fmt::format(" value: <{} v{} @0> (size=4,offset={}): f32[]\n", I, I,
                        I % Many * 4);
  }
  Text += "\nTotal bytes used: 2400 (2.3KiB)\n\nUsed values:\n<0 v0 @0>\n";
  std::string Positions, Uses, Operands;
  for (uint32_t I = 0; I != Many; ++I) {
    const char *Comment = I % 20 == 5 ? "// not a row\n" : "";
    Positions += fmt::format("{}  p{} {{{}}}\n", Comment, I, I);
    Uses += fmt::format("{}  u{}, operand {}\n", Comment, I, I);
    Operands += fmt::format("{}%operand.{}", I == 0 ? "" : ", ", I);
  }
  Text += " positions:\n" + Positions + " uses:\n" + Uses;
  Text += " from instruction: %v0 = f32[] parameter(7)\n";
  for (uint32_t I = 0; I != 2; ++I)
    Text += fmt::format("<{} r{{{}}} @0>\n positions:\n  r {{{}}}\n uses:\n"
                        "  last, operand {}\n from instruction: %r = f32[] "
                        "fusion({}), other={}\n",
                        Many + I, I, I, I, Operands, I);
  Text += "\n\nHloLiveRange (max 40):\n  InstructionSequence:\n";
  for (uint32_t I = 0; I != 40; ++I)
    Text += fmt::format("    {}:v{}\n", I < 30 ? I : I + 1, I);
  return Text + "  BufferLiveRange:\n    v0:0-40\n  Live ranges at 0 (peak):\n"
                "    v0: 4 bytes\n";
}

namespace {
class Rows : public testing::Test {
protected:
  static std::unique_ptr<Dump> read(StringRef Text) {
    std::array<DumpFile, NumFileRoles> Files;
    Files[0].Path = "m.txt";
    Files[0].Text = Text;
    SyntaxErrors Syntax;
    return readDump(Files, Syntax);
  }

  const std::string Text = assignment();
  const std::unique_ptr<Dump> Read = read(Text);
  const Dump &D = *Read;
  const Places At{D};
};
} // namespace

TEST_F(Rows, HaveTheirLines) {
  ASSERT_EQ(D.Values.size(), 2 * Many);
  for (uint32_t I = 0; I != 2 * Many; ++I)
    EXPECT_EQ(At.value(D.Values[I]).Tag.Name, "v" + std::to_string(I));
  ASSERT_EQ(D.positions(D.Used[0]).size(), Many);
  ASSERT_EQ(D.uses(D.Used[0]).size(), Many);
  for (uint32_t I = 0; I != Many; ++I) {
    EXPECT_EQ(At.row(D.positions(D.Used[0])[I]).Name, "p" + std::to_string(I));
    EXPECT_EQ(At.row(D.uses(D.Used[0])[I]).Name, "u" + std::to_string(I));
  }
  EXPECT_EQ(At.line(D.positions(D.Used[2]).front()), "  r {1}");
  EXPECT_EQ(At.line(D.uses(D.Used[2]).front()), "  last, operand 1");
}

TEST_F(Rows, OfTheSequenceHaveTheirNumbers) {
  ASSERT_EQ(D.Sequence.size(), 40u);
  for (uint32_t I = 0; I != 40; ++I) {
    EXPECT_EQ(D.Sequence[I].Ordinal, I < 30 ? I : I + 1);
    EXPECT_EQ(At.row(D.Sequence[I]).Name, "v" + std::to_string(I));
  }
}

TEST_F(Rows, HaveTheTextsOfTheirInstructions) {
  ASSERT_EQ(D.Used.size(), 3u);
  ASSERT_EQ(D.Instructions.size(), 2u);
  EXPECT_EQ(D.text(D.Used[0]), "%v0 = f32[] parameter(7)");
  EXPECT_EQ(D.parameterNumber(D.Instructions[0]), 7u);
  EXPECT_TRUE(D.operands(D.Instructions[0]).empty());
  const Instruction &I = D.Instructions[1];
  EXPECT_EQ(D.head(I), "%r = f32[] fusion");
  EXPECT_EQ(D.operands(I).size(), Many);
  EXPECT_EQ(At.operand(I, Many - 1), "operand.299");
  EXPECT_EQ(D.attributes(I), ", other=0");
  EXPECT_EQ(D.text(D.Used[1]), D.text(I));
  EXPECT_TRUE(D.text(D.Used[2]).ends_with(", other=1"));
}
