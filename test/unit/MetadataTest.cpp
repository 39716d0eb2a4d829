// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where instructions come from.

#include "HLO/InstructionParser.h"
#include "Memory/MemoryTree.h"
#include "gtest/gtest.h"

using namespace hlobuf;

TEST(Metadata, OneWalkFindsAllItems) {
  InstructionMetadata M = readMetadata(
      ", calls=%f, metadata={op_name=\"x y}\" source_file=\"/a, b.py\" "
      "source_line=3 stack_frame_id=7}, frontend={a=\"b\"}");
  EXPECT_EQ(M.OpName, "x y}");
  EXPECT_EQ(M.SourceFile, "/a, b.py");
  EXPECT_EQ(M.SourceLine, "3");
  EXPECT_EQ(M.StackFrame, "7");
  M = readMetadata(", metadata={source_end_line=4 op_name=\"1\" op_name=\"2\"");
  EXPECT_EQ(M.OpName, "1");
  EXPECT_FALSE(M.SourceLine);
  M = readMetadata(", metadata={size={1, 2} op_name=\"\"] source_line=5}");
  EXPECT_EQ(M.OpName, "");
  EXPECT_FALSE(M.SourceLine);
  EXPECT_FALSE(readMetadata(", metadata=none, op_name=\"a\"").OpName);
  EXPECT_FALSE(readMetadata(", backend={metadata={op_name=\"a\"}}").OpName);
}

TEST(Scopes, TheLastIsThatOfAll) {
  std::string Deep = "a";
  for (int I = 0; I != 30; ++I)
    Deep += "/" + std::to_string(I);
  for (const std::string &Name :
       {std::string(), std::string("add"), std::string("jit(f)/jvp(a/b)/mul"),
        std::string("jit(f)"), std::string("a/"), std::string("a(b/c")})
    EXPECT_EQ(lastScope(Name).str(), splitScopes(Name).back()) << Name;
  EXPECT_EQ(lastScope(Deep), "29");
  EXPECT_EQ(lastScope("jit(f)/jvp(a/b)/mul"), "mul");
}
