// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where instructions come from.

#include "HLO/InstructionParser.h"
#include "Memory/MemoryTree.h"
#include "gtest/gtest.h"

using namespace hlobuf;

// What one walk finds is what four find.
TEST(Metadata, OneWalkFindsAllItems) {
  for (const char *Text : {
           "",
           ", calls=%f",
           ", metadata={}",
           ", metadata={op_name=\"a/b\" stack_frame_id=7}",
           ", calls=%f, metadata={op_type=\"add\" op_name=\"x y}\" "
           "source_file=\"/a, b.py\" source_line=3}, frontend={a=\"b\"}",
           ", metadata={source_end_line=4 source_line=3 op_name=\"\"}",
           ", metadata={op_name=\"1\" op_name=\"2\" scheduling_name=\"s\"}",
           ", metadata={op_name=\"open",
           ", metadata={op_name=\"a\"] source_line=5}",
           ", metadata={size={1, 2} source_line=5}, stack_frame_id=9",
           ", metadata=none",
           ", backend={metadata={op_name=\"inner\"}}",
       }) {
    InstructionMetadata M = readMetadata(Text);
    EXPECT_EQ(M.OpName, findMetadata(Text, "op_name")) << Text;
    EXPECT_EQ(M.SourceFile, findMetadata(Text, "source_file")) << Text;
    EXPECT_EQ(M.SourceLine, findMetadata(Text, "source_line")) << Text;
    EXPECT_EQ(M.StackFrame, findMetadata(Text, "stack_frame_id")) << Text;
  }
  InstructionMetadata M = readMetadata(
      ", calls=%f, metadata={op_name=\"x y}\" source_file=\"/a, b.py\" "
      "source_line=3 stack_frame_id=7}, frontend={a=\"b\"}");
  EXPECT_EQ(M.OpName, "x y}");
  EXPECT_EQ(M.SourceFile, "/a, b.py");
  EXPECT_EQ(M.SourceLine, "3");
  EXPECT_EQ(M.StackFrame, "7");
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
