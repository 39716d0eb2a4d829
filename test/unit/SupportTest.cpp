// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/PendingText.h"
#include "HLO/ShapeIndex.h"
#include "Support/Diagnostic.h"
#include "Support/NameTable.h"
#include "Support/Printable.h"
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

TEST(PendingText, EscapesAcrossLines) {
  // The backslash at the end of a line escapes the newline.
  std::string Text = "{\"a\\\n\" }\" [";
  llvm::StringRef All = Text;
  PendingText Pending(All.take_front(4));
  EXPECT_FALSE(Pending.isBalanced());
  Pending.extend(All.take_front(8));
  EXPECT_TRUE(Pending.isBalanced());
  Pending.extend(All);
  EXPECT_FALSE(Pending.isBalanced());
  PendingText Closed(llvm::StringRef("{\"(\\\\\"}"));
  EXPECT_TRUE(Closed.isBalanced());
  EXPECT_FALSE(PendingText(llvm::StringRef("a)")).isBalanced());
}

// After few names and after many, each one has its own id.
TEST(NameTable, KeepsNames) {
  std::vector<std::string> Texts = {
      "",   "a",   "a.0",         "a.00",        "a.",         "7",
      "07", "n01", "n0123456789", "n1234567890", "n123456789", "n.1.b"};
  for (size_t I = 0; I != 5000; ++I)
    Texts.push_back("n" + std::to_string(I));
  NameTable Names;
  EXPECT_FALSE(Names.find(""));
  for (size_t I = 0; I != Texts.size(); ++I) {
    EXPECT_FALSE(Names.find(Texts[I]));
    EXPECT_EQ(Names.intern(Texts[I]), NameId(I));
  }
  EXPECT_EQ(Names.size(), Texts.size());
  for (size_t I = 0; I != Texts.size(); ++I) {
    EXPECT_EQ(Names.intern(std::string(Texts[I])), NameId(I));
    EXPECT_EQ(Names.find(Texts[I]), NameId(I));
    EXPECT_EQ(Names[NameId(I)], Texts[I]);
  }
  EXPECT_FALSE(Names.find("n5000"));
  Names.finish();
  EXPECT_FALSE(Names.find("n5000"));
  for (size_t I = 0; I != Texts.size(); ++I)
    EXPECT_EQ(Names.find(Texts[I]), NameId(I));
}

TEST(Scanner, NamesHaveTheirBytes) {
  for (unsigned Byte = 0; Byte != 256; ++Byte) {
    char C = static_cast<char>(Byte);
    EXPECT_EQ(isNameByte(C),
              llvm::isAlnum(C) || C == '_' || C == '.' || C == '-')
        << Byte;
  }
  llvm::StringRef Name;
  Scanner In("a-b.1, c");
  EXPECT_TRUE(In.name(Name));
  EXPECT_EQ(Name, "a-b.1");
  EXPECT_FALSE(In.name(Name));
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

// Bytes are looked at in groups: none is missed, wherever it is.
TEST(Printable, AllPlacesAreLookedAt) {
  for (size_t Size = 0; Size != 20; ++Size) {
    std::string Plain(Size, '~');
    EXPECT_EQ(printable(Plain), Plain);
    for (size_t I = 0; I != Size; ++I) {
      std::string Text = Plain;
      Text[I] = '\x1f';
      EXPECT_EQ(printable(Text),
                Plain.substr(0, I) + "\\x1f" + Plain.substr(I + 1));
      Text[I] = '\x7f';
      EXPECT_EQ(printable(Text),
                Plain.substr(0, I) + "\\x7f" + Plain.substr(I + 1));
      Text[I] = ' ';
      EXPECT_EQ(printable(Text), Text);
    }
  }
  EXPECT_EQ(printable("a#b"), "a#b");
  EXPECT_EQ(printable("a##b"), "a#\\x23b");
}
