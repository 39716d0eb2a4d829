// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of opcodes.

#include "HLO/ForwardRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace hlobuf;

namespace {
TEST(Opcode, EveryTextIsFound) {
  for (Opcode Op : {
#define HLOBUF_OPCODE(Enumerator, Text, Operands, Traits) Opcode::Enumerator,
#include "HLO/Opcodes.def"
       }) {
    PrintedOpcode Found = parseOpcode(opcodeText(Op));
    EXPECT_EQ(Found.Op, Op) << opcodeText(Op).str();
    EXPECT_FALSE(Found.Sugar) << opcodeText(Op).str();
  }
}

TEST(Opcode, Sugar) {
  EXPECT_EQ(parseOpcode("fusion-start").Op, Opcode::AsyncStart);
  EXPECT_TRUE(parseOpcode("fusion-start").Sugar);
  EXPECT_EQ(parseOpcode("copy-start").Op, Opcode::CopyStart);
  EXPECT_EQ(parseOpcode("frobnicate").Op, Opcode::Unknown);
}

TEST(Opcode, Similar) {
  EXPECT_EQ(findSimilarOpcode("brodcast"), Opcode::Broadcast);
  EXPECT_EQ(findSimilarOpcode("frobnicate"), Opcode::Unknown);
}

TEST(Opcode, TraitsAgree) {
  for (Opcode Op : {
#define HLOBUF_OPCODE(Enumerator, Text, Operands, Traits) Opcode::Enumerator,
#include "HLO/Opcodes.def"
       }) {
    std::string Text = opcodeText(Op).str();
    // What runs other computations names them.
    if (isControlFlow(Op) || calleeReads(Op)) {
      EXPECT_FALSE(calleeRules(Op).empty()) << Text;
    }
    // What is forwarded whole is not defined.
    llvm::ArrayRef<ForwardRule> Own = forwardRules(Op);
    if (!Own.empty() && Own[0].Parts == ForwardedParts::All &&
        Own[0].Result.Size == 0 && Own[0].Operand.Size == 0) {
      EXPECT_TRUE(definesNothing(Op)) << Text;
    }
    // GPU prints starts and dones of collectives alike.
    if (const AsyncOpcodes *Pair = startedBy(Op)) {
      EXPECT_EQ(mayBeSugar(Op), mayBeSugar(Pair->Done)) << Text;
      EXPECT_EQ(endedBy(Pair->Done), Pair) << Text;
    }
  }
}

/// The first row of \p Op that is about the part at \p Steps, as `1{0,2}`.
std::string forwarded(Opcode Op, llvm::ArrayRef<uint32_t> Steps, bool IsTuple,
                      uint32_t Own = 0) {
  for (const ForwardRule &Rule : forwardRules(Op))
    if (auto From = forwardedPath(Rule, Steps, IsTuple, Own))
      return std::to_string(From->Operand) + '{' +
             llvm::join(
                 llvm::map_range(From->Steps,
                                 [](uint32_t S) { return std::to_string(S); }),
                 ",") +
             '}';
  return "";
}

TEST(Opcode, ForwardedParts) {
  EXPECT_EQ(forwarded(Opcode::Add, {}, false), "");
  EXPECT_EQ(forwarded(Opcode::Tuple, {}, true), "");
  EXPECT_EQ(forwarded(Opcode::Tuple, {3, 1}, false), "3{1}");
  EXPECT_EQ(forwarded(Opcode::GetTupleElement, {1}, true, 4), "0{4,1}");
  EXPECT_EQ(forwarded(Opcode::Copy, {}, true), "");
  EXPECT_EQ(forwarded(Opcode::Copy, {1}, true), "0{1}");
  EXPECT_EQ(forwarded(Opcode::CopyStart, {1}, false), "0{}");
  EXPECT_EQ(forwarded(Opcode::CopyStart, {0}, false), "");
  EXPECT_EQ(forwarded(Opcode::AllGatherDone, {2}, false), "0{1,2}");
  EXPECT_EQ(forwarded(Opcode::AllGatherDone, {}, true), "");
  EXPECT_EQ(forwarded(Opcode::AsyncStart, {0, 1, 2}, false), "1{2}");
  EXPECT_EQ(forwarded(Opcode::AsyncStart, {0, 1}, true), "");
  EXPECT_EQ(forwarded(Opcode::AllGatherStart, {0, 1}, false), "1{}");
}

TEST(Opcode, AsyncResults) {
  EXPECT_EQ(startedBy(Opcode::CopyStart)->Result, 0u);
  EXPECT_EQ(startedBy(Opcode::AllGatherStart)->Result, 1u);
  EXPECT_EQ(startedBy(Opcode::AllReduceStart)->Result, std::nullopt);
  EXPECT_EQ(startedBy(Opcode::Send), nullptr);
  EXPECT_EQ(endedBy(Opcode::Add), nullptr);
}
} // namespace
