// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that cannot be started.

#include "Reduce/ChildProcess.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace hlobuf;

/// The lowest descriptor that is free.
static int freeDescriptor() {
  int Descriptor = ::open("/dev/null", O_RDONLY);
  ::close(Descriptor);
  return Descriptor;
}

TEST(ChildProcess, KeepsNoPipeThatItCannotUse) {
  int Free = freeDescriptor();
  rlimit Before, Few;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &Before), 0);
  Few = Before;
  Few.rlim_cur = static_cast<rlim_t>(Free) + 3; // one pipe, and a half
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &Few), 0);
  ChildProcess Cat;
  std::error_code Error = Cat.start({"cat"}, "/dev/null", /*Talk=*/true);
  ::setrlimit(RLIMIT_NOFILE, &Before);
  EXPECT_EQ(Error, std::errc::too_many_files_open);
  EXPECT_EQ(freeDescriptor(), Free);
}

TEST(ChildProcess, SaysWhyItDoesNotStart) {
  int Free = freeDescriptor();
  ChildProcess None;
  EXPECT_EQ(None.start({"/no/such/program"}, "/dev/null", /*Talk=*/true),
            std::errc::no_such_file_or_directory);
  EXPECT_FALSE(None.isRunning());
  EXPECT_EQ(freeDescriptor(), Free);
}
