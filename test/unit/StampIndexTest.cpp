// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a store of verdicts knows of files without reading them.

#include "Driver/StampIndex.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <chrono>
#include <fstream>

using namespace hlobuf;

static StampIndex::Key keyOf(uint8_t Byte) {
  StampIndex::Key K = {};
  K[0] = Byte;
  return K;
}

static StampIndex::Stamp stampOf(uint8_t Byte) {
  StampIndex::Stamp S = {};
  S[15] = Byte;
  return S;
}

TEST(StampIndexTest, KeepsWhatWasAdded) {
  StampIndex First;
  EXPECT_FALSE(First.bytes(keyOf(9)));
  First.add(stampOf(2), keyOf(20));
  First.add(stampOf(1), keyOf(10));
  std::optional<std::string> Bytes = First.bytes(keyOf(9));
  ASSERT_TRUE(Bytes);

  StampIndex Second;
  Second.load(*Bytes, keyOf(9));
  EXPECT_EQ(Second.find(stampOf(1)), keyOf(10));
  EXPECT_EQ(Second.find(stampOf(2)), keyOf(20));
  EXPECT_FALSE(Second.find(stampOf(3)));
  EXPECT_FALSE(Second.bytes(keyOf(9))) << "nothing changed";
  EXPECT_EQ(Second.used().size(), 2u);
}

TEST(StampIndexTest, LeavesWhatIsNotItsOwn) {
  StampIndex First;
  First.add(stampOf(1), keyOf(10));
  std::string Bytes = *First.bytes(keyOf(9));
  StampIndex Other;
  Other.load(Bytes, keyOf(8));
  Other.load(llvm::StringRef(Bytes).drop_back(), keyOf(9));
  Other.load("", keyOf(9));
  EXPECT_FALSE(Other.find(stampOf(1)));
}

TEST(StampIndexTest, ForgetsWhatIsNotUsed) {
  StampIndex First;
  First.add(stampOf(1), keyOf(10));
  std::string Bytes = *First.bytes(keyOf(9));
  // The day is at the end of an entry.
  uint32_t Day = 0;
  std::memcpy(&Day, &Bytes[Bytes.size() - 4], 4);
  Day -= StampIndex::KeptDays + 1;
  std::memcpy(&Bytes[Bytes.size() - 4], &Day, 4);

  StampIndex Unused;
  Unused.load(Bytes, keyOf(9));
  EXPECT_TRUE(Unused.used().empty());
  Unused.add(stampOf(2), keyOf(20));
  StampIndex Later;
  Later.load(*Unused.bytes(keyOf(9)), keyOf(9));
  EXPECT_FALSE(Later.find(stampOf(1)));
  EXPECT_TRUE(Later.find(stampOf(2)));

  StampIndex Used;
  Used.load(Bytes, keyOf(9));
  EXPECT_TRUE(Used.find(stampOf(1)));
  EXPECT_TRUE(Used.bytes(keyOf(9))) << "the day of its last use changed";
}

TEST(StampIndexTest, KeepsWhatWasFoundWithoutAStamp) {
  StampIndex Index;
  Index.use(keyOf(10));
  EXPECT_EQ(Index.used().count(keyOf(10)), 1u);
}

TEST(StampIndexTest, VerdictsAreRemovedOnceADay) {
  StampIndex First;
  EXPECT_TRUE(First.takePruning());
  EXPECT_FALSE(First.takePruning());
  StampIndex Second;
  Second.load(*First.bytes(keyOf(9)), keyOf(9));
  EXPECT_FALSE(Second.takePruning());
}

/// Writes through mappings change no time on tmpfs.
TEST(FileStampTest, TrustsNoTmpfs) {
  llvm::SmallString<64> Path;
  if (llvm::sys::fs::createUniqueFile("/dev/shm/stamp-%%%%%%", Path))
    GTEST_SKIP();
  EXPECT_FALSE(hlobuf::stampOf(Path.str().str()));
  llvm::sys::fs::remove(Path);
}

/// A change that keeps the size, and whose time of writing is set back, shows.
TEST(FileStampTest, SeesAHiddenChange) {
  llvm::SmallString<64> Path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("stamp", "txt", Path));
  std::string Name = Path.str().str();
  auto Old = std::chrono::system_clock::now() - std::chrono::hours(1);
  auto Write = [&](const char *Text) {
    std::ofstream(Name) << Text;
    int Descriptor = -1;
    ASSERT_FALSE(llvm::sys::fs::openFileForWrite(
        Name, Descriptor, llvm::sys::fs::CD_OpenExisting));
    ASSERT_FALSE(
        llvm::sys::fs::setLastAccessAndModificationTime(Descriptor, Old, Old));
    llvm::sys::fs::file_t Handle = Descriptor;
    ASSERT_FALSE(llvm::sys::fs::closeFile(Handle));
  };
  Write("one");
  std::optional<FileStamp> Before = hlobuf::stampOf(Name);
  if (!Before)
    GTEST_SKIP() << "this file system does not note each change";
  EXPECT_FALSE(Before->isSettled()) << "it was changed just now";
  Write("two");
  std::optional<FileStamp> After = hlobuf::stampOf(Name);
  ASSERT_TRUE(After);
  EXPECT_EQ(Before->Modified, After->Modified);
  EXPECT_EQ(Before->Size, After->Size);
  EXPECT_LT(Before->Changed, After->Changed);
  Before->Changed -= 10'000'000'000;
  EXPECT_TRUE(Before->isSettled());
  EXPECT_FALSE(hlobuf::stampOf(Name + ".none"));
  EXPECT_FALSE(hlobuf::stampOf("/"));
  // What is read there may change at any time.
  EXPECT_FALSE(hlobuf::stampOf("/proc/version"));
  llvm::sys::fs::remove(Path);
}
