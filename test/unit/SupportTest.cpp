// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/PendingText.h"
#include "HLO/ShapeIndex.h"
#include "Support/ByteCount.h"
#include "Support/ByteScan.h"
#include "Support/Diagnostic.h"
#include "Support/FindText.h"
#include "Support/FirstRows.h"
#include "Support/NameTable.h"
#include "Support/Printable.h"
#include "Support/Scanner.h"
#include "Support/StableVector.h"
#include "llvm/ADT/StringExtras.h"
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

TEST(ByteCount, AsOneByOne) {
  // Up to several times what one lane counts.
  std::string Text;
  for (size_t Size = 0; Size != 5000; ++Size) {
    if (Size < 40 || Size % 509 == 0) {
      EXPECT_EQ(countByte(Text, '"'), llvm::StringRef(Text).count('"')) << Size;
    }
    Text += Size % 7 == 3 ? 'a' : '"';
  }
}

/// Each byte at each place, alone and next to one that is found.
template <typename Set> static void expectSameAsOneByOne() {
  for (size_t Size = 1; Size != 36; ++Size)
    for (unsigned Byte = 0; Byte != 256; ++Byte) {
      std::string Text(Size, Set::has('.') ? '!' : '.');
      ASSERT_EQ(findByte<Set>(Text), Size);
      size_t Place = (Size * 7 + Byte) % Size;
      Text[Place] = static_cast<char>(Byte);
      bool Found = Set::has(static_cast<unsigned char>(Byte));
      ASSERT_EQ(findByte<Set>(Text), Found ? Place : Size) << Byte;
      ASSERT_EQ(findByte<Set>(Text, Place + 1), Size) << Byte;
    }
}

TEST(ByteScan, AsOneByOne) {
  expectSameAsOneByOne<NameBytes>();
  expectSameAsOneByOne<OtherBytes<NameBytes>>();
  expectSameAsOneByOne<BytesOf<'(', '\xff', '\0'>>();
  EXPECT_EQ(findByte<NameBytes>(""), 0u);
}

TEST(StableVector, ElementsStay) {
  StableVector<std::string> All;
  for (int I = 0; I != 100; ++I)
    All.add(std::to_string(I));
  std::string *First = &All[0];
  for (int I = 100; I != 1000; ++I)
    All.add(std::to_string(I));
  EXPECT_EQ(First, &All[0]);
  EXPECT_EQ(All.size(), 1000u);
  EXPECT_EQ(All[17], "17");
  EXPECT_EQ(All[999], "999");
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
  std::vector<std::string> Texts = {"", "a", "a.0", "a.00", "a.", "7"};
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
}

TEST(FirstRows, DenseAndSparseIds) {
  auto Itself = [](uint32_t Id) { return Id; };
  std::vector<uint32_t> Dense = {3, 0, 3, 1};
  FirstRows Near(Dense, Itself);
  EXPECT_EQ(Near[3], 0u);
  EXPECT_EQ(Near[1], 3u);
  EXPECT_EQ(Near[2], FirstRows::None);
  EXPECT_EQ(Near[70000], FirstRows::None);
  // The largest ids are keys that a hash table of 32 bits cannot have.
  std::vector<uint32_t> Sparse = {~0U, 5, ~0U - 1, ~0U};
  FirstRows Far(Sparse, Itself);
  EXPECT_EQ(Far[~0U], 0u);
  EXPECT_EQ(Far[~0U - 1], 2u);
  EXPECT_EQ(Far[6], FirstRows::None);
}

TEST(FindText, CountsAsStringRefDoes) {
  for (llvm::StringRef Text : {"", "a", "aa", "aaaa", "aaaaa", "baab"})
    EXPECT_EQ(countText(Text, "aa"), Text.count("aa")) << Text.str();
}

TEST(FindText, AsStringRefDoes) {
  llvm::StringRef Text = "control, control-predecessors={a}";
  EXPECT_EQ(findText(Text, "control"), 0u);
  EXPECT_EQ(findText(Text, "control", 1), 9u);
  EXPECT_EQ(findText(Text, "control", 10), llvm::StringRef::npos);
  EXPECT_EQ(findText(Text, "a", Text.size() + 1), llvm::StringRef::npos);
  EXPECT_FALSE(holdsText("", "a"));
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
