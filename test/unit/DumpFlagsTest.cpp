// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA_FLAGS for --exec.

#include "Exec/XlaFlags.h"
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

/// The flags of a process whose own folder is `/d/process-1`.
static std::string flags(const char *Flags, const char *Foreign = "",
                         bool Override = false) {
  DumpTarget Target;
  Target.Folder = "d";
  Target.Absolute = "/d";
  Target.Extra = "--xla_dump_hlo_as_text";
  Target.Override = Override;
  std::string Found;
  std::string Result = flagsOfProcess(Flags, Target, "/d/process-1", Found);
  EXPECT_EQ(Found, Foreign);
  return Result;
}

TEST(ProcessFlags, BlanksAreQuoted) {
  std::string Foreign;
  EXPECT_EQ(flagsOfProcess("", {}, "/tmp/a \"b", Foreign),
            "--xla_dump_to=\"/tmp/a \\\"b\" ");
}

TEST(ProcessFlags, AFolderOfItsOwn) {
  const char *Own = "--xla_dump_to=/d/process-1 --xla_dump_hlo_as_text";
  EXPECT_EQ(flags(""), Own);
  EXPECT_EQ(flags("--xla_dump_to=/d --xla_dump_hlo_as_text"), Own);
  EXPECT_EQ(flags("--xla_dump_to=d --xla_dump_hlo_as_text"), Own);
  EXPECT_EQ(flags("--xla_dump_to=\"/d/process-7-2\""), Own);
  EXPECT_EQ(flags("--xla_a='1 2'  --xla_dump_to=/d/process-7 --xla_b"),
            std::string("--xla_a='1 2' --xla_b ") + Own);
}

TEST(ProcessFlags, AChosenFolderStays) {
  EXPECT_EQ(flags("--xla_dump_to=/d --xla_dump_to=/e/0", "/e/0"),
            "--xla_dump_to=/e/0 --xla_dump_hlo_as_text");
  EXPECT_EQ(flags("--xla_dump_to=/d/rank0", "/d/rank0"),
            "--xla_dump_to=/d/rank0 --xla_dump_hlo_as_text");
  EXPECT_EQ(flags("--xla_dump_to=/e", "", /*Override=*/true),
            "--xla_dump_to=/e --xla_dump_to=/d/process-1 "
            "--xla_dump_hlo_as_text");
}
