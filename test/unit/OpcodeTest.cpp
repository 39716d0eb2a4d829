//===- OpcodeTest.cpp - The table of opcodes ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HLO/Opcode.h"
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
    if (forwardsOperand(Op)) {
      EXPECT_TRUE(definesNothing(Op)) << Text;
      EXPECT_FALSE(forwardsParts(Op)) << Text;
    }
    // GPU prints starts and dones of collectives alike.
    if (const AsyncOpcodes *Pair = startedBy(Op)) {
      EXPECT_EQ(mayBeSugar(Op), mayBeSugar(Pair->Done)) << Text;
      EXPECT_EQ(endedBy(Pair->Done), Pair) << Text;
    }
  }
}

TEST(Opcode, AsyncResults) {
  EXPECT_EQ(startedBy(Opcode::CopyStart)->Result, 0u);
  EXPECT_EQ(startedBy(Opcode::AllGatherStart)->Result, 1u);
  EXPECT_EQ(startedBy(Opcode::AllReduceStart)->Result, std::nullopt);
  EXPECT_EQ(startedBy(Opcode::Send), nullptr);
  EXPECT_EQ(endedBy(Opcode::Add), nullptr);
}
} // namespace
