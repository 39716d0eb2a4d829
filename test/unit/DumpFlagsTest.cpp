//===- DumpFlagsTest.cpp - XLA_FLAGS for --exec ---------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/XlaFlags.h"
#include "gtest/gtest.h"

using namespace hlobuf;

static std::string add(const char *Flags, const char *Folder = "/tmp/x") {
  std::string Used = "/tmp/x";
  std::string Result = addDumpFlags(Flags, Used);
  EXPECT_EQ(Used, Folder);
  return Result;
}

TEST(DumpFlags, AreAdded) {
  EXPECT_EQ(add(""), "--xla_dump_to=/tmp/x --xla_dump_hlo_as_text");
  EXPECT_EQ(add(" --xla_a=1  --xla_b "),
            "--xla_a=1  --xla_b --xla_dump_to=/tmp/x --xla_dump_hlo_as_text");
}

TEST(DumpFlags, TheLastOwnFolderStays) {
  EXPECT_EQ(add("--xla_dump_to=a --xla_dump_to=b", "b"),
            "--xla_dump_to=a --xla_dump_to=b --xla_dump_hlo_as_text");
}

TEST(DumpFlags, AGivenFolderWins) {
  std::string Given = "/tmp/given";
  EXPECT_EQ(addDumpFlags("--xla_dump_to=a", Given, /*Override=*/true),
            "--xla_dump_to=a --xla_dump_to=/tmp/given --xla_dump_hlo_as_text");
  EXPECT_EQ(Given, "/tmp/given");
}

TEST(DumpFlags, QuotesAreReadAsXlaReadsThem) {
  add("--xla_dump_to='/tmp/a b' --xla_c", "/tmp/a b");
  add("--xla_dump_to=\"/tmp/a \\\"b\" --xla_c", "/tmp/a \"b");
  add("--xla_c='--xla_dump_to=a b'\t--xla_dump_to=d", "d");
  add("--xla_dump_to='never closed", "never closed");
}

TEST(DumpFlags, BlanksAreQuoted) {
  std::string Folder = "/tmp/a \"b";
  EXPECT_EQ(addDumpFlags("", Folder),
            "--xla_dump_to=\"/tmp/a \\\"b\" --xla_dump_hlo_as_text");
}

TEST(DumpFlags, StandardOutputIsNoFolder) {
  EXPECT_EQ(add("--xla_dump_to=-"),
            "--xla_dump_to=- --xla_dump_to=/tmp/x --xla_dump_hlo_as_text");
}

TEST(DumpFlags, AnAbsentFileHoldsNone) {
  EXPECT_EQ(add("no-such-file"), "--xla_dump_to=/tmp/x --xla_dump_hlo_as_text");
}
