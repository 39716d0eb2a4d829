// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ShapeIndex.h"
#include "Support/Diagnostic.h"
#include "Support/Scanner.h"
#include "gtest/gtest.h"

using namespace hlobuf;

static Diagnostic finding(llvm::StringRef Where, std::string Message) {
  Diagnostic D;
  D.Check = "check";
  D.Where = Where;
  D.Message = std::move(Message);
  D.Subjects.push_back({0, 7});
  return D;
}

TEST(FoldRelated, OrderOfTheListNotOfAddresses) {
  // Texts of two files: which one is mapped first must not matter.
  char Texts[2];
  for (bool Swapped : {false, true}) {
    std::vector<Diagnostic> All;
    All.push_back(finding(llvm::StringRef(&Texts[Swapped], 1), "first"));
    All.push_back(finding(llvm::StringRef(&Texts[!Swapped], 1), "second"));
    foldRelated(All);
    ASSERT_EQ(All.size(), 1u);
    EXPECT_EQ(All[0].Message, "first");
    ASSERT_EQ(All[0].Notes.size(), 1u);
    EXPECT_EQ(All[0].Notes[0].Message, "second [check]");
  }
}

TEST(Scanner, ZeroHasNoSign) {
  int32_t Number = 1;
  Scanner Minus("-0>");
  EXPECT_FALSE(Minus.signedNumber(Number));
  EXPECT_EQ(Minus.rest(), "-0>");
  Scanner Negative("-7>");
  EXPECT_TRUE(Negative.signedNumber(Number));
  EXPECT_EQ(Number, -7);
}

TEST(ShapeIndex, LargeElementsAreKept) {
  ShapeIndexTable Table;
  for (uint32_t Element : {0u, (1u << 30) - 1, 1u << 30, ~0u}) {
    ShapeIndex Index = Table.get({Element});
    EXPECT_EQ(Table.text(Index), "{" + std::to_string(Element) + "}");
    std::string Printed = Table.text(Index);
    Scanner In(Printed);
    ShapeIndex Read;
    ASSERT_TRUE(Table.parse(In, Read));
    EXPECT_EQ(Read, Index);
  }
}
