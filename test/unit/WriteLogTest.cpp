// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/WriteLog.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <unistd.h>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

namespace {
/// A folder that is watched, and an assignment in it.
class WriteLogTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("hlobuf-log", Folder));
    ASSERT_TRUE(Log.watch(std::string(Folder)));
    Path = std::string(Folder) + "/module_0000.jit_f-buffer-assignment.txt";
  }
  void TearDown() override { EXPECT_FALSE(fs::remove_directories(Folder)); }

  int open() { return ::open(Path.c_str(), O_CREAT | O_WRONLY, 0600); }
  static void write(int File) {
    ASSERT_EQ(::write(File, "text", 4), 4);
    ASSERT_EQ(::close(File), 0);
  }

  llvm::SmallString<64> Folder;
  std::string Path;
  WriteLog Log;
};
} // namespace

TEST_F(WriteLogTest, OneAfterTheOther) {
  write(open());
  write(open());
  Log.read();
  WriteLog::Losses Losses = Log.losses();
  EXPECT_EQ(Losses.Modules, 1u);
  EXPECT_TRUE(Losses.Mixed.empty());
  EXPECT_FALSE(Losses.AtLeast);
}

TEST_F(WriteLogTest, OpenedAtTheSameMoment) {
  // The kernel reports that as one opening.
  int First = open();
  int Second = open();
  write(First);
  write(Second);
  Log.read();
  WriteLog::Losses Losses = Log.losses();
  EXPECT_EQ(Losses.Modules, 2u);
  EXPECT_EQ(Losses.Mixed.count(Path), 1u);
  EXPECT_TRUE(Losses.AtLeast);
}
