// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA_FLAGS for --exec.

#include "Exec/DumpFolder.h"
#include "gtest/gtest.h"

using namespace hlobuf;

TEST(DumpFlags, TheLastFolderCounts) {
  EXPECT_EQ(dumpFolder(""), "");
  EXPECT_EQ(dumpFolder(" --xla_a=1  --xla_b "), "");
  EXPECT_EQ(dumpFolder("--xla_dump_to=a --xla_dump_to=b"), "b");
}

TEST(DumpFlags, QuotesAreReadAsXlaReadsThem) {
  EXPECT_EQ(dumpFolder("--xla_dump_to='/tmp/a b' --xla_c"), "/tmp/a b");
  EXPECT_EQ(dumpFolder("--xla_dump_to=\"/tmp/a \\\"b\" --xla_c"), "/tmp/a \"b");
  EXPECT_EQ(dumpFolder("--xla_c='--xla_dump_to=a b'\t--xla_dump_to=d"), "d");
  EXPECT_EQ(dumpFolder("--xla_dump_to='never closed"), "never closed");
}

TEST(DumpFlags, StandardOutputIsNoFolder) {
  EXPECT_EQ(dumpFolder("--xla_dump_to=-"), "");
}

TEST(DumpFlags, AnAbsentFileHoldsNone) {
  EXPECT_EQ(dumpFolder("no-such-file"), "");
}
